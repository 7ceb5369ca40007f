"""The model card: what a run says of itself, in numbers that are on file."""

import yaml


def test_the_card_says_what_is_on_file(tiny_run):
    card = (tiny_run.folder / "README.md").read_text()
    figures = tiny_run.figures
    assert card.startswith("# tiny-corpus, seed 1\n")
    for split in ("dev", "test", "test_raw_text"):
        for score in ("overall_accuracy", "intent_accuracy", "slot_f1"):
            assert f" {100 * figures[split][score]:.2f} |" in card
    majority = figures["test_raw_text"]["majority"]
    assert f"| {100 * majority['intent_accuracy']:.2f} |\n" in card
    assert f"{figures['parameters']:,} parameters" in card
    assert "- test: `test.jsonl`, 9 utterances" in card
    assert "4 intents, in " in card and ": `dim`, `leave`, `play`, `stop`." in card
    assert "3 slots: `kind`, `owner`, `thing`." in card
    assert "beyond 128 tokens" in card
    assert f"tensorflow {figures['versions']['tensorflow']}" in card
    assert figures["recipe_hash"] in card
    kept = yaml.safe_load(card.split("```yaml\n")[1].split("```")[0])
    assert kept == tiny_run.recipe.model_dump(mode="json")


def test_the_table_is_a_table(tiny_run):
    card = (tiny_run.folder / "README.md").read_text()
    table = [line for line in card.splitlines() if line.startswith("|")]
    assert len(table) == 5
    assert {line.count("|") for line in table} == {6}
