"""Names and texts that others wrote: escape sequences, ends of lines, marks that turn the direction of writing, in each
place that can hold a text. Nothing raw reaches a terminal, nothing begins a line of its own, and no file is read that
a list does not own. And two names for one file, and links in place of files."""

import json
import os
import re
import struct

esc = "\x1b]0;title\x07\x1b[35mpink\x9b2J‮"
texts = {"escape": esc, "line": "a\nFORGED line", "both": f"{esc}\n\rFORGED line\x7f"}


def is_safe(h, run):
    for name, text in (("stdout", run.out), ("stderr", run.err)):
        text = re.sub("\x1b\\[(31|32|33|0)m", "", text)  # the program's own colours
        raw = sorted({hex(ord(c)) for c in text
                      if (c < " " and c not in "\n\t") or "\x7f" <= c <= "\x9f" or "‪" <= c <= "‮"})
        h.expect(not raw, f"{name} has {raw}: {text[-200:]!r}")
        h.expect(not any(line.startswith("FORGED") for line in text.splitlines()), f"{name}: a forged line: {text!r}")


def tensors(names, metadata):
    header = {"__metadata__": metadata} | {
        name: {"dtype": "F64", "shape": [0], "data_offsets": [0, 0]} for name in names}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text


def places(h, text):
    """Where the text stands, and the commands that read it."""
    challenge = h.read("c.safetensors")

    def ladder(**changes):
        os.makedirs(h.path("l"), exist_ok=True)
        h.write("l/c.safetensors", challenge)
        answer = {"challenge": "c.safetensors", "answer": "k.json", "by": "me", "commands": []} | changes
        h.write("l/solved.json", json.dumps({"schema": "hardhead.solved/1", "answers": [answer]}))

    def file_name(name=text.replace("/", "_"), content=challenge):
        h.write(name, content)
        return name

    model = json.dumps({"weight_map": {"h.0.attn.c_attn.weight": text}})
    yield "by", lambda: ladder(by=text), ["challenge", "verify", "l"]
    yield "commands", lambda: ladder(commands=[text]), ["challenge", "verify", "l", "--json"]
    yield "challenge", lambda: ladder(challenge=text), ["challenge", "verify", "l"]
    yield "answer", lambda: ladder(answer=text), ["challenge", "verify", "l"]
    yield ("file of a ladder", lambda: (ladder(), h.write(f"l/{file_name()}.safetensors", challenge)),
           ["challenge", "verify", "l"])
    yield "tensor", lambda: h.write("t", tensors([text], {})), ["inspect", "t"]
    yield "metadata", lambda: h.write("t", tensors(["x"], {text: text})), ["inspect", "t"]
    yield "spec of a file", lambda: h.write("t", tensors(["theta", "w"], {"spec": text})), ["inspect", "t"]
    yield "shard", lambda: (os.makedirs(h.path("m"), exist_ok=True),
                            h.write("m/model.safetensors.index.json", model)), ["inspect", "m"]
    yield "key of JSON", lambda: h.write("k2.json", json.dumps({text: 1})), ["lwe", "attack", "k2.json"]
    yield "schema of JSON", lambda: h.write("k2.json", json.dumps({"schema": text})), ["lwe", "attack", "k2.json"]
    yield "key twice", lambda: h.write("k2.json", "{%s:1,%s:1}" % (json.dumps(text), json.dumps(text))), [
        "lwe", "attack", "k2.json"]
    yield "instance", lambda: h.write("k2.json", json.dumps({"schema": "hardhead.lwe-solution/1", "instance": text,
                                                             "secret": [0, 0, 0]})), ["challenge", "verify",
                                                                                      "c.safetensors", "k2.json"]
    yield "key of a sweep", lambda: h.write("s.toml", f"{json.dumps(text)} = 1\n"), ["sweep", "s.toml", "--out", "o"]
    yield "labels", lambda: h.write("y.csv", text), ["challenge", "verify", "c.safetensors", "y.csv"]
    yield "log of a program", lambda: h.write("p.sh", f"printf '%s' {json.dumps(text)} >&2; exit 1"), [
        "learn", "nice:d=4,k=2,m=1", "--examples", "200", "--method", "exec:sh p.sh", "--quiet"]
    for words in (["inspect", "NAME"], ["learn", "NAME", "--quiet"], ["challenge", "verify", "NAME", "NAME"],
                  ["lwe", "attack", "NAME"], ["sweep", "NAME"], ["report", "NAME"],
                  ["generate", "nice:d=4", "-o", "NAME"], ["import", "NAME", "--layer", "0", "-o", "x"]):
        yield (f"name of a file: {words[0]}", file_name,
               [text.replace("/", "_") if word == "NAME" else word for word in words])
    for words in (["learn", text], ["hardness", text], ["learn", "nice", "--method", text], ["sq", "play", text],
                  [text], ["learn", "nice", text], ["learn", "nice", f"--{text}"], ["help", text]):
        yield f"word of the command line: {words[0] if words[0] != text else 'command'}", lambda: None, words


def foreign_text(h):
    h.run("challenge", "make", "parity:d=4,m=2", "-n", "60", "-o", "c.safetensors", "--keep", "k.json")
    for kind, text in texts.items():
        for place, make, words in places(h, text):
            def body(make=make, words=words):
                make()
                for colour in ([], ["--color", "always"]):
                    run = h.run(*words, *colour, timeout=60)
                    h.expect(run.code in (0, 2, 4), f"exit code {run.code}: {run.err[-300:]}")
                    is_safe(h, run)

            h.case("text of others", f"{kind} as {place}", body)


def files_outside(h):
    """No list makes the program read a file that is not its own."""
    h.write("secret.csv", "SECRET,1\n")
    os.makedirs(h.path("l"), exist_ok=True)
    h.run("challenge", "make", "parity:d=4,m=2", "-n", "60", "-o", "l/c.safetensors")
    os.symlink("../secret.csv", h.path("l/link.csv"))
    for answer in ("../secret.csv", h.path("secret.csv"), "link.csv", "./../secret.csv", "/etc/passwd"):
        def body(answer=answer):
            h.write("l/solved.json", json.dumps({"schema": "hardhead.solved/1", "answers": [
                {"challenge": "c.safetensors", "answer": answer, "by": "me", "commands": []}]}))
            run = h.run("challenge", "verify", "l")
            h.expect("SECRET" not in run.out + run.err and "root:" not in run.out + run.err, run.out + run.err)
            h.expect("is not a file of the folder" in " ".join(run.out.split()), run.out)

        h.case("files outside a list's folder", answer, body)


def temporary_files(h):
    """Links and files under names that a temporary file might have."""
    def body(number):
        h.write("victim", "precious")
        names = [f"out.{pid}.{count}.tmp" for pid in range(1, 4000, 37) for count in (0, 1)]
        kept = h.path(f"taken{number}")
        os.mkdir(kept)
        for name in names:
            os.symlink("../victim", os.path.join(kept, name))
        mine = {name: h.write(f"taken{number}/{name}", "mine") for name in ("out.999999.0.tmp", ".hardhead-0.tmp",
                                                                           ".hardhead-0123456789abcdef.tmp")}
        os.symlink("../victim", os.path.join(kept, "out"))
        run = h.run("generate", "nice:d=4", "-o", f"taken{number}/out")
        h.expect(run.code == 0 and h.read("victim") == b"precious", f"the victim has {h.read('victim')[:20]!r}")
        h.expect(all(h.read(path) == b"mine" for path in mine.values()), "a file of the user's was lost")
        os.remove(mine[".hardhead-0123456789abcdef.tmp"])

    for number in range(h.times(1, 10)):
        h.case("temporary files", str(number), lambda number=number: body(number))


def test(h):
    foreign_text(h)
    files_outside(h)
    temporary_files(h)
