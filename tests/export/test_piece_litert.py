"""A model on a pretrained encoder as a LiteRT model, against the run."""

import json
import subprocess
import sys
from random import Random

import keras
import numpy as np
import pytest

keras_hub = pytest.importorskip("keras_hub")
pytest.importorskip("ai_edge_litert")
import tiny_encoders  # noqa: E402
from marked import MARKS  # noqa: E402
from untrained import INTENTS  # noqa: E402
from untrained import TAGS  # noqa: E402

import keras_slu  # noqa: E402
from keras_slu.data.utterance import Utterance  # noqa: E402
from keras_slu.encoders.hub import HubEncoder  # noqa: E402
from keras_slu.encoders.window_encoder import WindowEncoder  # noqa: E402
from keras_slu.errors import InputError  # noqa: E402
from keras_slu.export.latency import litert_times  # noqa: E402
from keras_slu.export.litert import export_litert  # noqa: E402
from keras_slu.export.litert_writer import write_litert  # noqa: E402
from keras_slu.export.verification import verify  # noqa: E402
from keras_slu.models import FFA  # noqa: E402
from keras_slu.models import HAN  # noqa: E402
from keras_slu.models import LRT  # noqa: E402
from keras_slu.models import CoInteractive  # noqa: E402
from keras_slu.models import JointBERT  # noqa: E402
from keras_slu.models import SlotRefine  # noqa: E402
from keras_slu.models import StackPropagation  # noqa: E402
from keras_slu.text.piece_vocabulary import PieceVocabulary  # noqa: E402
from keras_slu.text.pieces import Pieces  # noqa: E402
from keras_slu.text.tokenizer import Tokenizer  # noqa: E402

MAX_TOKENS = 40  # more than the encoder has room for
WINDOW = 32
WORDS = "play unbelievably the song's lamp red abc Ábc 🎵 jjj … zzz dim\u0301 한 歌"
WORDS = WORDS.split()
JOINT = {
    "joint-bert-refined": lambda encoder: JointBERT(
        encoder,
        INTENTS,
        TAGS,
        slot_head="softmax",
        num_layers=1,
        num_heads=2,
        refine_after=(0,),
        generator=True,
    ),
    "han": lambda encoder: HAN(None, INTENTS, TAGS, dim=16, encoder=encoder),
    "co-interactive": lambda encoder: CoInteractive(
        None, ["book", "play"], TAGS, intent_head="sigmoid", dim=16, encoder=encoder
    ),
    "stack-propagation": lambda encoder: StackPropagation(
        None, INTENTS, TAGS, dim=16, encoder=encoder
    ),
    "slot-refine": lambda encoder: SlotRefine(
        None, INTENTS, TAGS, dim=16, num_heads=2, encoder=encoder
    ),
    "lrt": lambda encoder: LRT(
        None, INTENTS, TAGS, dim=16, num_heads=2, encoder=encoder
    ),
}


def save(model, pieces, max_pieces, folder, factor=2.0):
    """Saves a model as a run, its weights bold enough for varied answers."""
    for weight in model.trainable_variables:
        weight.assign(factor * weight)
    model.optimizer.build(model.trainable_variables)
    model.tokenizer = Tokenizer()
    model.vocabulary = PieceVocabulary(pieces, max_pieces)
    folder.mkdir()
    model.save(folder / "model.keras")
    return folder


def make_run(make, folder, factor=2.0):
    keras.utils.set_random_seed(7)
    encoder = tiny_encoders.make_hub_encoder()
    pieces = tiny_encoders.make_pieces()
    return save(make(encoder), pieces, encoder.max_pieces, folder, factor)


def write(run):
    """Exports a run without a process of its own."""
    path = run / "tiny.tflite"
    contract = path.with_suffix(".json")
    write_litert(run, path, contract, "token_ids", MAX_TOKENS, 200, "none")
    return path


def utterances():
    random = Random(0)
    texts = ["", "  ", "play " * 60, "play " * MAX_TOKENS, "abcdefghij" * 20 + " play"]
    # Up to more pieces than the encoder reads.
    for number in range(100):
        texts.append(" ".join(random.choices(WORDS, k=1 + number % 30)))
    return [Utterance(text, intents=("play",)) for text in texts]


def check_agreement(run, path):
    """The run and the export give the same Frames, and both cut as much."""
    texts = [utterance.text for utterance in utterances()]
    frames = keras_slu.load(path).parse(texts)
    assert sum(len(frame.slots) for frame in frames) > 100  # else little is compared
    _, [agreement] = verify(run, [path], utterances())
    assert agreement.differences == []
    assert (len(agreement.ties), agreement.cut) == (0, 0)
    assert agreement.largest < 1e-4
    assert 5 < sum(frame.truncated for frame in frames) < 70


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make_run(
        lambda encoder: JointBERT(encoder, INTENTS, TAGS),
        tmp_path_factory.mktemp("runs") / "joint",
    )


@pytest.fixture(scope="module")
def exported(run):
    return write(run)


def test_it_parses_as_the_run_does(run, exported):
    check_agreement(run, exported)
    assert (litert_times(exported, WORDS) > 0).all()


def test_the_contract_says_what_the_pieces_are(exported):
    contract = json.loads(exported.with_suffix(".json").read_text())
    positions = tiny_encoders.SIZES["positions"]
    assert contract["input"] == {
        "name": "token_ids",
        "shape": [1, positions],
        "dtype": "int32",
        "padding": 0,
    }
    assert contract["word_starts"] == {
        "shape": [1, MAX_TOKENS],
        "dtype": "int32",
        "padding": -1,
    }
    names = {"start_id": "[CLS]", "end_id": "[SEP]", "pad_id": "[PAD]"}
    for name, piece in {**names, "unknown_id": "[UNK]"}.items():
        assert tiny_encoders.PIECES[contract["pieces"][name]] == piece
    assert contract["pieces"]["max_pieces"] == positions
    assert "truncated" not in contract["outputs"]


def test_any_pieces_are_answered(exported):
    model, random = keras_slu.load(exported), np.random.default_rng(0)
    for number in range(300):
        row = random.integers(-9, 99, (1, tiny_encoders.SIZES["positions"]))
        row[:, random.integers(row.size + 1) :] = 0
        starts = random.integers(-1 - number % 2, 50, (1, MAX_TOKENS))
        inputs = {"token_ids": row, "word_starts": starts}
        answer = model.run({n: v.astype(np.int32) for n, v in inputs.items()})
        length = np.flatnonzero(np.append([1], row))[-1] or 1
        is_word = np.cumprod((starts[0] >= 0) & (starts[0] < length)) > 0
        assert ((answer["tags"] >= 0) == is_word).all()
        assert answer["intent_probabilities"].sum() == pytest.approx(1.0, abs=1e-5)


def test_it_needs_neither_tensorflow_nor_keras_hub(exported):
    code = (
        "import sys, keras_slu; "
        f"frame = keras_slu.load({str(exported)!r}).parse('play the song'); "
        "heavy = {'tensorflow', 'keras', 'keras_hub'}; "
        "print(len(frame.intents), heavy & set(sys.modules))"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert child.stdout == "2 set()\n", child.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", JOINT)
def test_each_joint_model_parses_as_its_run(name, tmp_path):
    run = make_run(JOINT[name], tmp_path / "run")
    check_agreement(run, write(run))


@pytest.mark.slow
@pytest.mark.parametrize("quantize", ["float16", "dynamic", "int8"])
def test_it_can_be_quantised_without_a_crf(quantize, tmp_path):
    run = make_run(
        lambda encoder: JointBERT(encoder, INTENTS, TAGS, slot_head="softmax"),
        tmp_path / "run",
    )
    path = tmp_path / "tiny.tflite"
    export_litert(run, path, input="token_ids", quantize=quantize)
    ours, theirs = (
        model.parse([utterance.text for utterance in utterances()])
        for model in (keras_slu.load(run), keras_slu.load(path))
    )
    for one, other in zip(ours, theirs, strict=True):
        found = {intent.name: intent.probability for intent in other.intents}
        for intent in one.intents:
            assert found[intent.name] == pytest.approx(intent.probability, abs=0.1)


@pytest.mark.slow
def test_int8_with_a_crf_is_told_in_one_line(run, tmp_path):
    with pytest.raises(InputError, match="quantising this model to int8 killed"):
        export_litert(run, tmp_path / "x.tflite", input="token_ids", quantize="int8")
    assert not list(tmp_path.iterdir())


def make_byte_pairs():
    """An encoder and a tokenizer whose pad id is not 0, as RoBERTa's."""
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *"abcdefghijklmnopqrstuvwxyzĠ"]
    names += ["Ġp", "la", "Ġpla"]
    tokenizer = keras_hub.tokenizers.RobertaTokenizer(
        {name: place for place, name in enumerate(names)}, ["Ġ p", "l a", "Ġp la"]
    )
    backbone = keras_hub.models.RobertaBackbone(
        vocabulary_size=len(names),
        num_layers=1,
        num_heads=2,
        hidden_dim=16,
        intermediate_dim=32,
        max_sequence_length=40,
    )
    tiny_encoders.draw_weights(backbone)
    return HubEncoder(backbone), Pieces(tokenizer)


@pytest.mark.slow
def test_byte_pairs_are_made_by_keras_hub(tmp_path):
    keras.utils.set_random_seed(7)
    encoder, pieces = make_byte_pairs()
    model = JointBERT(encoder, INTENTS, TAGS)
    run = save(model, pieces, encoder.max_pieces, tmp_path / "run")
    check_agreement(run, write(run))


@pytest.fixture(scope="module")
def marks_run(tmp_path_factory):
    def make(encoder):
        windows = WindowEncoder(encoder, start_id=2, end_id=3, pad_id=0, dim=8)
        return FFA(windows, MARKS, num_heads=2, window=WINDOW)

    return make_run(make, tmp_path_factory.mktemp("runs") / "marks", factor=4.0)


@pytest.mark.slow
def test_a_device_puts_the_marks_of_the_run(marks_run):
    exported, punctuator = keras_slu.load(write(marks_run)), keras_slu.load(marks_run)
    texts = [
        "",
        " ... ",
        '  so, "play the song." unbelievably red lamp\r\n (abc) 🎵 - 3.5',
        *(" ".join(Random(n).choices(WORDS[:6], k=1 + n % 5)) for n in range(30)),
    ]
    put = 0
    for text in texts:
        assert exported.punctuate(text) == punctuator.punctuate(text)
        put += len(punctuator.punctuate(text)) - len(text)
    assert put > 20
    assert exported.punctuate("play " * 60).endswith("play " * (60 - WINDOW))
    assert exported.contract["pieces"]["pad_id"] == 0
    assert exported.contract["input"]["shape"] == [1, WINDOW]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["run", "marks_run"])
def test_text_cannot_be_split_on_a_device(kind, request, tmp_path):
    run = request.getfixturevalue(kind)
    with pytest.raises(InputError) as error:
        export_litert(run, tmp_path / "x.tflite")
    assert str(error.value) == (
        f"{run}: the model splits words into pieces, which builtin operations cannot. "
        "Export it with --input token_ids, for clients that make the pieces."
    )
    assert not list(tmp_path.iterdir())
