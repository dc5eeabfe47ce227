"""Attention layers of checkpoints: `hardhead import` against NumPy, and checkpoints that are refused.

    checkpoint_test.py PROGRAM [SEEDS]

SEEDS is how many layers of each model are learnt from embeddings, by default 1. Exits 77 (skipped) where NumPy is missing.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

import models
from safetensors_format import read_safetensors, write_safetensors

PROGRAM = sys.argv[1] if len(sys.argv) in (2, 3) else sys.exit(__doc__)
SEEDS = int(sys.argv[2]) if len(sys.argv) == 3 else 1


def layer_of_heads(theta, w, x):
    """Y[r,b] = sum_i sum_j softmax_j(x[r] theta_i x[j]) sum_a x[j,a] w_i[a,b]."""
    return sum(models.softmax(x @ t @ x.T) @ x @ v for t, v in zip(theta, w))


def imported(folder, n, arguments):
    out = os.path.join(folder, f"layer{n}.safetensors")
    subprocess.run([PROGRAM, "import", folder, "--layer", str(n), *arguments, "-o", out], check=True, stdout=subprocess.DEVNULL)
    return read_safetensors(out)


def check(name, model, arguments=(), shards=1):
    """The largest error of both layers' outputs, relative to the largest output."""
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        model.write(folder, shards)
        for n in range(model.layers):
            layer, metadata = imported(folder, n, (*model.arguments, *arguments))
            hidden = 3 * np.random.default_rng(n).normal(size=(6, model.d)) + 1
            x = model.norm(hidden)
            y = model.attention(n, x)
            biased = metadata["inputs"].endswith("+1")
            tokens = np.column_stack([x, np.ones(len(x))]) if biased else x
            assert layer["theta"].shape == (model.heads, tokens.shape[1], tokens.shape[1]), layer["theta"].shape
            found = layer_of_heads(layer["theta"], layer["w"], tokens)
            if biased:
                assert np.all(found[:, -1] == 0), "labels of the constant feature"
                found = found[:, :-1]
            assert np.abs(y).max() > 0.1, "the output says nothing"
            worst = max(worst, np.abs(found - y).max() / np.abs(y).max())
    print(f"{name:34} {model.dtype:5} H = {model.heads}, G = {model.groups}, shards {shards}: error {worst:.2g}")
    assert worst <= 1e-12, name


def check_architectures():
    grouped = dict(heads=6, groups=2)
    check("gpt2", models.Gpt2())
    check("gpt2, no prefix, F16", models.Gpt2("F16", prefix=""), shards=3)
    check("gpt2, scaled by layer", models.Gpt2("F32", inverse=True))
    check("bert", models.Bert())
    check("bert, old names, BF16", models.Bert("BF16", gain="gamma", shift="beta", prefix=""), shards=2)
    check("roberta", models.Roberta("F16"), shards=2)
    check("vit", models.Vit("F32"))
    check("vit, newer names", models.VitLayers("F16"), shards=2)
    check("timm", models.Timm("F32"))
    check("llama", models.Llama("BF16"), shards=4)
    check("llama, grouped", models.Llama("F16", **grouped), shards=2)
    check("llama, offset", models.Llama(offset=3, **grouped), ("--offset", "3"))
    check("llama, offset back", models.Llama(offset=-2), ("--offset", "-2"))
    check("mistral, wide heads", models.Llama("BF16", kind="mistral", size=6, rotary=6, **grouped))
    check("qwen2, biases of inputs", models.Llama("F32", kind="qwen2", biases=True, **grouped), shards=3)
    check("opt", models.Opt("F16"))
    post = dict(models.Opt.config, do_layer_norm_before=False)
    check("opt, norm after", models.Opt(config=post, folded=False))
    check("gpt-neox", models.GptNeoX())
    check("gpt-neox, offset", models.GptNeoX("F32", offset=5), ("--offset", "5"))
    check("torch", models.Torch())
    check("torch, no biases", models.Torch("BF16", biases=False))


def check_variants():
    """Models with the names of a row and another attention, and parts of larger models."""
    grouped = dict(heads=6, groups=2)
    check("nanoGPT, nn.Linear", models.NanoGpt())
    check("nanoGPT, no biases", models.BareNanoGpt("BF16"))
    check("gpt_bigcode, one key-value head", models.BigCode("F32"))
    check("gpt_bigcode, head by head", models.BigCode(multi_query=False))
    for kind in (models.Gemma, models.Cohere, models.Starcoder2, models.StableLm, models.Nemotron, models.Glm, models.Granite):
        check(kind.kind, kind())
        check(kind.kind + ", offset", kind("F32", offset=3, **grouped), ("--offset", "3"))
    for kind in ("mixtral", "qwen2_moe", "granitemoe"):
        check(kind, models.Llama("F16", kind=kind, **grouped))
    check("gemma, --arch llama", models.Gemma(), ("--arch", "llama"))
    check("phi3", models.Phi3("BF16"), shards=2)
    check("phi3, grouped, offset", models.Phi3(offset=-4, **grouped), ("--offset", "-4"))
    check("timm, q_bias and v_bias", models.Eva("F32"))
    check("videomae, q_bias and v_bias", models.VideoMae())
    scale = lambda **rule: dict(more={"rope_scaling": rule, "max_position_embeddings": 400})
    class Scaled(models.Variant):
        kind = "llama"
    check("query_pre_attn_scalar", Scaled(scale=30**-0.5, more={"query_pre_attn_scalar": 30}))
    check("linear", Scaled(**scale(rope_type="linear", factor=4.0)))
    check("yarn, attention_factor 1", Scaled(**scale(rope_type="yarn", factor=4.0, attention_factor=1.0)))
    check("yarn", Scaled(rotary_factor=0.1 * np.log(4) + 1, **scale(rope_type="yarn", factor=4.0)))
    check("yarn, half of a head", Scaled(rotary_factor=1.3, rotary=2, more={"partial_rotary_factor": 0.5, "rope_scaling": {
        "type": "yarn", "factor": 4.0, "attention_factor": 1.3}}))
    check("longrope", Scaled(rotary_factor=np.sqrt(1 + np.log(4) / np.log(100)), **scale(type="longrope", original_max_position_embeddings=100)))
    for wrapper in ("module.", "_orig_mod.", "base_model.model.", "language_model.", "some.thing.else."):
        check(f"llama behind {wrapper}", models.Llama(**grouped).behind(wrapper))
        check(f"torch behind {wrapper}", models.Torch().behind(wrapper))
    check("transformer_encoder.", models.Torch().behind("transformer_encoder."))
    check("bert behind module.", models.Bert().behind("module."))
    check("timm behind model.", models.Timm().behind("model."))
    part = models.Gemma().behind("language_model.")
    part.config = {"model_type": "paligemma", "text_config": part.config, "vision_config": {"num_attention_heads": 7}}
    check("the text part of a model", part)
    check("opt, wrapped as an encoder", models.Opt().behind("encoder."))
    openclip = models.Torch()
    openclip.wrapper = "text."
    check("torch, a part of a model", openclip)
    visual, text = models.Torch().behind("visual.transformer."), models.Torch(seed=2)
    text.tensors = {"transformer." + name: tensor for name, tensor in text.tensors.items()}
    text.get = lambda name: text.tensors["transformer." + name][1]
    text.linear = lambda name, x: x @ text.get(name + ".weight").T + text.get(name + ".bias")
    text.tensors.update({visual.wrapper + name: tensor for name, tensor in visual.tensors.items()})
    check("the text part of two", text, ("--prefix", "transformer"))


def check_more_architectures():
    """What is not GPT-2, BERT, ViT or LLaMA by another name."""
    for kind in ("multi_query", "grouped", "head by head"):
        check(f"falcon, {kind}", models.Falcon(kind=kind))
        check(f"falcon, {kind}, offset", models.Falcon("BF16", kind=kind, biases=True, offset=-3), ("--offset", "-3"))
    check("gpt-j", models.GptJ("F16"), shards=2)
    check("gpt-j, offset", models.GptJ(offset=5), ("--offset", "5"))
    usual = {"model_type": "gptj", "n_head": 2}  # rotary_dim is 64
    check("gpt-j, usual rotary_dim", models.GptJ(d=144, heads=2, groups=2, size=72, rotary=64, config=usual, offset=2), ("--offset", "2"))
    check("gpt-neo", models.GptNeo("F32"))
    check("phi", models.Phi())
    check("phi, offset", models.Phi("F32", offset=-4), ("--offset", "-4"))
    check("distilbert", models.DistilBert("F32"))
    check("albert", models.Albert())
    check("dinov2", models.DinoV2("F32"), shards=2)
    check("timm, layer scale", models.TimmScaled())
    check("timm, gamma_1", models.TimmScaled(scale_name="gamma_1"))
    for kind in (models.Whisper, models.Bart, models.Stacks):
        for stack in ("encoder", "decoder"):
            check(f"{kind.kind}, {stack}", kind(stack=stack))
    for kind in ("pegasus", "m2m_100", "blenderbot"):
        check(f"{kind}, decoder", models.Stacks("BF16", kind=kind, stack="decoder", embedding_norm=False), shards=3)
    for kind in ("clip", "siglip"):
        text, vision = (dict(kind=kind, prefix="text_model."), dict(kind=kind, prefix="vision_model.", heads=2, groups=2, size=6, seed=2))
        for own, other in ((text, vision), (vision, text)):
            check(f"{kind}, {own['prefix'][:-1]}", models.Clip("F16", **own))
            check(f"{kind}, {own['prefix'][:-1]} of two", models.Clip(**own).beside(models.Clip(**other)))
    check("transformer-lens", models.TransformerLens("F32"))
    check("transformer-lens, norm folded", models.TransformerLens(folded=True), shards=2)
    check("torch, one encoder layer", models.TorchLayer())
    for kind in (models.Glm4, models.Helium, models.Ernie):
        check(kind.kind + ", offset", kind("F32", offset=3, heads=6, groups=2), ("--offset", "3"))
    for kind in ("arcee", "seed_oss", "granitemoeshared"):
        check(kind, models.Llama(kind=kind, biases=kind == "seed_oss", heads=6, groups=2))


def check_commands():
    """inspect and certify take the checkpoint as it is."""
    with tempfile.TemporaryDirectory() as folder:
        models.Llama(heads=6, groups=2).write(folder, shards=2)
        run = lambda *words: json.loads(subprocess.run([PROGRAM, *words, "--json"], check=True, capture_output=True).stdout)
        seen = run("inspect", folder)
        assert (seen["architecture"], seen["layers"], seen["heads"], len(seen["files"])) == ("llama", [0, 1], 6, 2), seen
        layer = os.path.join(folder, "layer.safetensors")
        run("import", folder, "--layer", "1", "--tokens", "4", "-o", layer)
        judged = run("certify", folder, "--tokens", "4")["layers"]
        assert [(one["layer"], one["offset"]) for one in judged] == [(n, delta) for n in (0, 1) for delta in (0, -1, -8, -64, -512)]
        assert judged[0]["conditions"] != judged[1]["conditions"], "Theta depends on the offset"
        table, figure = os.path.join(folder, "margins.csv"), os.path.join(folder, "margins.svg")
        told = subprocess.run([PROGRAM, "certify", folder, "--tokens", "4", "--offset", "3", "--at", "5", "--csv", table, "--figure", figure],
                              check=True, capture_output=True, text=True).stdout
        assert told.count(" of 11 ") == 4, told
        with open(table) as file:
            rows = [line.split(",") for line in file.read().splitlines()]
        assert {tuple(row[:2]) for row in rows[1:]} == {("0", "3"), ("0", "5"), ("1", "3"), ("1", "5")}, rows[:3]
        assert len(rows) == 1 + 4 * len(judged[0]["conditions"])
        with open(figure) as file:
            assert "<svg" in file.read()
        file, direct = run("certify", layer), run("certify", folder, "--layer", "1", "--tokens", "4")
        assert file["conditions"] == direct["conditions"]
        assert run("sample", layer, "-n", "10", "-o", os.path.join(folder, "data.safetensors"))


def check_memory():
    """What an import takes stays within its prediction, and beyond a limit it is refused before it reads."""
    with tempfile.TemporaryDirectory() as folder:
        models.Gpt2("F32", d=240, heads=12, groups=12, size=20).write(folder)
        out = os.path.join(folder, "layer.safetensors")
        command = [PROGRAM, "import", folder, "--layer", "0", "-o", out]
        refused = subprocess.run([*command, "--memory-limit", "50M"], capture_output=True, text=True)
        assert refused.returncode == 3, refused  # a budget
        predicted = float(refused.stderr.split("predicted to need ")[1].split()[0])
        assert not os.path.exists(out)
        process = subprocess.Popen([*command, "--memory-limit", str(int(1.01 * predicted))], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, "the prediction itself is enough"
        print(f"import of 12 heads, d = 241: {usage.ru_maxrss * 1024 / 1e6:.0f} MB used, {predicted / 1e6:.0f} MB predicted")
        assert usage.ru_maxrss * 1024 <= predicted


def check_embeddings(model, tables, first_position=0, padding=None):
    """`sample` of a checkpoint: every token is a row of the tables, but for that of padding, at positions one after another."""
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in tables.items():
            model.put(name, rows, model.d)
        model.write(folder)
        out = os.path.join(folder, "data.safetensors")
        subprocess.run([PROGRAM, "sample", folder, "--layer", "0", "--tokens", "3", *model.arguments, "-n", "40", "-o", out], check=True, stdout=subprocess.DEVNULL)
        data, metadata = read_safetensors(out)
    names = list(tables)
    positions = model.get(names[1])[first_position:] if len(names) > 1 else np.zeros((1, model.d))
    kind = model.get(names[2])[0] if len(names) > 2 else 0
    known = model.norm(model.embedding_factor * model.get(names[0])[:, None] + positions + kind)  # [token, position, feature]
    x, y = data["x"][..., : model.d], data["y"][..., : model.d]
    distance = np.abs(x[:, :, None, None] - known).max(axis=-1)
    found = distance.reshape(*distance.shape[:2], -1)
    assert found.min(axis=-1).max() < 1e-12, found.min(axis=-1).max()
    token, position = np.unravel_index(found.argmin(axis=-1), known.shape[:2])
    assert len(np.unique(token)) > 10, "tokens are random"
    assert padding is None or padding not in token, "padding has no position of its own"
    if len(names) > 1:
        assert position.min() == 0, "the first position is drawn as well"
        assert np.all(np.diff(position, axis=1) == 1), position
        assert len(np.unique(position[:, 0])) > 3, "so are first positions"
    if data["x"].shape[2] > model.d:
        assert metadata["inputs"] == "gaussian+1" and np.all(data["x"][..., -1] == 1)
    worst = max(np.abs(model.attention(0, tokens) - labels).max() / np.abs(labels).max() for tokens, labels in zip(x, y))
    print(f"embeddings of {type(model).__name__}: error {worst:.2g}")
    assert worst < 1e-12


def check_all_embeddings():
    check_embeddings(models.Gpt2(), {"transformer.wte.weight": 30, "transformer.wpe.weight": 12})
    check_embeddings(models.Bert("F32"), {"bert.embeddings.word_embeddings.weight": 30, "bert.embeddings.position_embeddings.weight": 12,
                                          "bert.embeddings.token_type_embeddings.weight": 2})
    for padding, named_by in [(1, "config"), (3, "config"), (1, "prefix")]:
        roberta = models.Roberta(padding=padding)
        if named_by == "prefix":
            roberta.config, roberta.arguments = {}, ("--num-heads", "3")
        check_embeddings(roberta, {"roberta.embeddings.word_embeddings.weight": 14, "roberta.embeddings.position_embeddings.weight": 14,
                                   "roberta.embeddings.token_type_embeddings.weight": 1},
                         first_position=models.Roberta.positions(np.array([5, 6, 7]), padding)[0], padding=padding)
    for llama in (models.Llama("BF16", heads=6, groups=2), models.Gemma(), models.Granite()):
        llama.config = {**llama.config, "rms_norm_eps": 1e-6}
        check_embeddings(llama, {"model.embed_tokens.weight": 30})
    check_embeddings(models.DistilBert(), {"distilbert.embeddings.word_embeddings.weight": 30, "distilbert.embeddings.position_embeddings.weight": 12})
    check_embeddings(models.Clip(), {"text_model.embeddings.token_embedding.weight": 30, "text_model.embeddings.position_embedding.weight": 12})
    check_embeddings(models.GptNeo(), {"transformer.wte.weight": 30, "transformer.wpe.weight": 12})
    for model, table in [(models.GptJ(), "transformer.wte"), (models.Falcon(), "transformer.word_embeddings"), (models.Phi(), "model.embed_tokens")]:
        check_embeddings(model, {table + ".weight": 30})
    check_embeddings(models.Opt(), {"model.decoder.embed_tokens.weight": 30, "model.decoder.embed_positions.weight": 14}, first_position=2)


def learnt(model, tables):
    """||E[x x^T] - I|| / ||I|| and each learner's run on 30,000 examples of layer 0 on embeddings."""
    for name, rows in tables.items():
        model.put(name, rows, model.d)
    with tempfile.TemporaryDirectory() as folder:
        model.write(folder)
        data = os.path.join(folder, "data.safetensors")
        run = lambda *words: json.loads(subprocess.run([PROGRAM, *words, "--json"], check=True, capture_output=True).stdout)
        distance = run("sample", folder, "--layer", "0", "--tokens", "3", "-n", "30000", "-o", data)["distance_from_isotropy"]
        return distance, {method: run("learn", data, "--method", method, "--heads", "2") for method in ("gauss-newton", "sculpt")}


def check_learning():
    """Gauss-Newton and sculpt learn a small first layer on the model's own kind of inputs, which are not isotropic."""
    bert = [f"bert.embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type")]
    for model, names in [(models.Gpt2, ["transformer.wte.weight", "transformer.wpe.weight"]), (models.Bert, bert),
                         (models.Llama, ["model.embed_tokens.weight"])]:
        found = [learnt(model(seed=seed + 1, d=8, heads=2, groups=2, size=4), dict(zip(names, (500, 40, 2)))) for seed in range(SEEDS)]
        distances = [distance for distance, _ in found]
        if model.norm is models.standardised:
            assert min(distances) > 0.2, "features that sum to 0 are correlated"
        for method in found[0][1]:
            results = [runs[method] for _, runs in found]
            recovered = sum(result["outcome"] == "recovered" for result in results)
            print(f"{model.__name__}, ||E[x x^T] - I|| / ||I|| = {min(distances):.2f} .. {max(distances):.2f}: {method} recovers {recovered} of "
                  f"{SEEDS} layers, error at most {max(result['test_error'] for result in results):.1e}")
            assert recovered == SEEDS, [result["message"] for result in results]


def damaged():
    """(what is wrong, what makes it of a folder with a good GPT-2 in two shards, words of the message)."""
    first, second = (f"model-0000{s}-of-00002.safetensors" for s in (1, 2))
    index = "model.safetensors.index.json"
    weight = "transformer.h.1.attn.c_attn.weight"

    def rewrite(name, change):
        def make(folder):
            for file in (first, second):
                path = os.path.join(folder, file)
                tensors = {key: ("F64", array) for key, array in model.tensors_of(file).items()}
                if name in tensors:
                    tensors[name] = change(tensors[name][1])
                    write_safetensors(path, tensors)
        return make

    def text_of(file, change):
        def make(folder):
            path = os.path.join(folder, file)
            with open(path) as old:
                text = change(old.read())
            with open(path, "w") as new:
                new.write(text)
        return make

    def config(**changes):
        return text_of("config.json", lambda text: json.dumps({**json.loads(text), **changes}))

    def weight_map(change):
        def changed(text):
            document = json.loads(text)
            change(document["weight_map"])
            return json.dumps(document)
        return text_of(index, changed)

    def cut(file, length):
        """The file's first `length` bytes, or all but the last ones."""
        def make(folder):
            path = os.path.join(folder, file)
            os.truncate(path, length if length >= 0 else os.path.getsize(path) + length)
        return make

    def twice(file, name):
        """The file's header with a tensor's entry once more."""
        def make(folder):
            path = os.path.join(folder, file)
            with open(path, "rb") as old:
                content = old.read()
            length = int.from_bytes(content[:8], "little")
            header = content[8 : 8 + length].decode()
            entry = header[header.index(f'"{name}"') :]
            entry = entry[: entry.index("}") + 1]
            header = ("{" + entry + ", " + header[1:]).encode()
            with open(path, "wb") as new:
                new.write(len(header).to_bytes(8, "little") + header + content[8 + length :])
        return make

    class Shards:
        def tensors_of(self, file):
            names = list(good.tensors)
            part = names[0::2] if file == first else names[1::2]
            return {name: good.get(name) for name in part}

    good, model = models.Gpt2(), Shards()
    copy = lambda folder: write_safetensors(
        os.path.join(folder, second),
        {name: ("F64", array) for name, array in {**model.tensors_of(second), **model.tensors_of(first)}.items()})
    ones = lambda *shape: (lambda _: ("F64", np.ones(shape)))
    return [
        ("a missing shard", lambda folder: os.remove(os.path.join(folder, second)), [second]),
        ("a truncated shard", cut(second, -64), [second]),
        ("a shard cut in its header", cut(first, 40), [first]),
        ("an empty shard", cut(first, 0), [first]),
        ("a shard that is a folder", lambda folder: (os.remove(os.path.join(folder, second)), os.mkdir(os.path.join(folder, second))), [second]),
        ("an index that names a file above", weight_map(lambda m: m.update({weight: "../other.safetensors"})), [index, weight, "../other"]),
        ("an index that names a file elsewhere", weight_map(lambda m: m.update({weight: "/etc/passwd"})), [index, weight, "/etc/passwd"]),
        ("an index that names a folder", weight_map(lambda m: m.update({weight: ".."})), [index, weight]),
        ("an index that names a number", weight_map(lambda m: m.update({weight: 7})), [index, weight]),
        ("an index of a tensor that is not there", weight_map(lambda m: m.update({"h.9.x": first})), [index, "h.9.x", first]),
        ("an empty index", weight_map(lambda m: m.clear()), [index, "weight_map"]),
        ("an index without weight_map", text_of(index, lambda _: "{}"), [index, "weight_map"]),
        ("an index that is no JSON", text_of(index, lambda text: text[:-9]), [index]),
        ("a name twice in an index", text_of(index, lambda t: t.replace('"weight_map": {', '"weight_map": {"a": "x", "a": "x", ')), [index, '"a"']),
        ("a tensor in two shards", copy, [first, second, "transformer.h.0.attn.bias"]),
        ("a wrong shape", rewrite(weight, ones(12, 35)), [weight, "35"]),
        ("other features", rewrite("transformer.h.1.attn.c_proj.weight", ones(12, 10)), ["transformer.h.1.attn.c_proj.weight", "10"]),
        ("a vector for a matrix", rewrite(weight, ones(36)), [weight, "[36]"]),
        ("a matrix for a vector", rewrite("transformer.h.1.attn.c_attn.bias", ones(36, 1)), ["transformer.h.1.attn.c_attn.bias", "[36, 1]"]),
        ("a bias of another size", rewrite("transformer.h.1.attn.c_proj.bias", ones(11)), ["transformer.h.1.attn.c_proj.bias", "11"]),
        ("a norm of another size", rewrite("transformer.h.1.ln_1.weight", ones(11)), ["transformer.h.1.ln_1.weight", "11"]),
        ("quantised weights", rewrite(weight, lambda old: ("I8", np.zeros(old.shape))), [weight, "I8", "quantised"]),
        ("bytes for weights", rewrite(weight, lambda old: ("U8", np.zeros(old.shape))), [weight, "U8", "quantised"]),
        ("a weight that is not finite", rewrite(weight, lambda old: ("F64", np.where(old == old[3, 4], np.nan, old))), [weight, "nan", "element 112"]),
        ("an infinite half", rewrite(weight, lambda old: ("F16", np.where(old == old[0, 1], np.inf, old))), [weight, "inf", "element 1"]),
        ("heads that do not divide", config(n_head=5), [weight, "5 heads"]),
        ("no heads", config(n_head=0), ["config.json", "n_head", "0"]),
        ("heads in words", config(n_head="twelve"), ["config.json", "n_head"]),
        ("no number of heads", lambda folder: os.remove(os.path.join(folder, "config.json")), ["--num-heads"]),
        ("a quantised model", config(quantization_config={"bits": 4}), ["config.json", "quantization_config"]),
        ("a model of another type", config(model_type="gemma"), ["config.json", "gemma", "llama", "transformer.h.0.attn.c_proj.weight"]),
        ("another head size", config(head_dim=7), [weight, "head_dim = 7"]),
        ("a config that is no JSON", text_of("config.json", lambda text: text + "}"), ["config.json"]),
        ("a name twice in a header", twice(first, "transformer.h.0.ln_1.weight"), [first, "transformer.h.0.ln_1.weight"]),
        ("no attention", lambda folder: (os.remove(os.path.join(folder, index)), write_safetensors(os.path.join(folder, "model.safetensors"), {"a": ("F64", np.ones(1))})), ["none of its 1 tensors", "gpt2, bert"]),
        ("no output projection of 10^5", lambda folder: (os.remove(os.path.join(folder, index)), write_safetensors(os.path.join(folder, "model.safetensors"), {f"h.{n}.attn.c_proj.bias": ("F32", np.ones(1)) for n in range(100_000)})), ["none of its 100000 tensors", "h.0.attn.c_proj.bias"]),
    ]


def refused(folder, words, *arguments):
    out = os.path.join(folder, "out.safetensors")
    result = subprocess.run([PROGRAM, "import", folder, *arguments, "-o", out], capture_output=True, text=True)
    assert result.returncode == 2, (arguments, result.returncode, result.stderr)
    for word in words:
        assert word in result.stderr, (word, result.stderr)
    assert not os.path.exists(out)
    return result.stderr


def check_refusals():
    cases = damaged()
    for what, damage, words in cases:
        with tempfile.TemporaryDirectory() as folder:
            models.Gpt2().write(folder, shards=2)
            damage(folder)
            print(f"{what}: {refused(folder, words, '--layer', '1').strip()[:200]}")
    with tempfile.TemporaryDirectory() as folder:
        models.Gpt2().write(folder)
        refused(folder, ["layer 2", "0 .. 1"], "--layer", "2")
        refused(folder, ["llama", "o_proj"], "--layer", "0", "--arch", "llama")
        refused(folder, ["offset 1", "gpt2"], "--layer", "0", "--offset", "1")
    for extra, name in [(models.Torch, "layers.0.self_attn.bias_k"), (models.Llama, "model.layers.0.self_attn.q_norm.weight")]:
        with tempfile.TemporaryDirectory() as folder:
            model = extra()
            model.put(name, 1, model.d)
            model.write(folder)
            refused(folder, [name], "--layer", "0", *model.arguments)
    with tempfile.TemporaryDirectory() as folder:  # as torch keeps them where kdim or vdim is not d
        model = models.Torch()
        for part in "qkv":
            model.put(f"layers.0.self_attn.{part}_proj_weight", model.d, model.d)
        del model.tensors["layers.0.self_attn.in_proj_weight"]
        model.write(folder)
        refused(folder, ["layers.0.self_attn.k_proj_weight"], "--layer", "0", *model.arguments)
    print(f"{len(cases) + 6} checkpoints refused")


if __name__ == "__main__":
    check_architectures()
    check_variants()
    check_more_architectures()
    check_commands()
    check_memory()
    check_all_embeddings()
    check_learning()
    check_refusals()
