"""The samples of `../shared/data`, and what is in them."""

# Format, utterances, slots, different intents, warnings.
SAMPLES = {
    "formats/conll/atis2_dev.w-intent.iob": ("iob-lines", 500, 1709, 14, 0),
    "formats/conll/atis_dev.blocks.txt": ("conll", 500, 1709, 14, 0),
    "formats/nlupp/banking_fold0.json": ("nlupp", 104, 44, 47, 0),
    "formats/nlupp/hotels_fold0.json": ("nlupp", 47, 47, 33, 0),
    "formats/rasa/banking.nlu.yml": ("rasa-yaml", 471, 0, 11, 0),
    "formats/rasa/restaurant_demo.json": ("rasa-json", 25, 8, 4, 0),
    "formats/rasa/snips_converted.nlu.yml": ("rasa-yaml", 280, 709, 7, 0),
    "formats/slurp_massive/massive_layout_400.jsonl": ("massive", 400, 406, 61, 0),
    "formats/slurp_massive/slurp_devel_400.jsonl": ("slurp", 400, 406, 61, 0),
    "formats/snips_native/validate_PlayMusic.json": ("snips-json", 100, 206, 1, 1),
    "formats/snips_nlu/beverage_dataset.json": ("snips-nlu", 7, 10, 1, 1),
    "formats/snips_nlu/flights_dataset.json": ("snips-nlu", 8, 16, 2, 1),
    "formats/snips_nlu/lights_dataset.json": ("snips-nlu", 14, 19, 3, 1),
    "formats/top/snips_converted.top.tsv": ("top", 233, 586, 7, 0),
    "formats/word_colon_tag/fb_es.dev.gz": ("word-tags", 1983, 3019, 11, 6),
    "zh/resume_ner/train.bmes.gz": ("conll", 3821, 13440, 0, 2),
    "zh/weibo_ner/train.bio.gz": ("conll", 1350, 1895, 0, 8),
    "zh/chnsenticorp/dev.tsv.gz": ("csv", 1200, 0, 2, 0),
}
