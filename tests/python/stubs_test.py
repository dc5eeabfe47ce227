"""The stubs say what the module has: the same names, the same parameters in the same order with the same defaults."""
import ast
import dataclasses
import inspect
import pathlib
import re
import subprocess
import sys
import textwrap
import types
import unittest

import hardhead

STUBS = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "stubs.py"
FOLDER = pathlib.Path(hardhead.__file__).parent
PYTHON_OWN = {"_repr_html_", "__getstate__", "__setstate__", "__repr__", "__str__", "__eq__", "__hash__", "__match_args__", "__doc__", "__module__"}


def public(names):
    return {name for name in names if not name.startswith("_")}


def parameters_said(function):
    """(name, default or None) of each, "*" for the keyword-only mark, from the first line of pybind11's docstring, or of a
    function in Python from its source."""
    if inspect.isfunction(function):
        return parameters_of(ast.parse(textwrap.dedent(inspect.getsource(function))).body[0])
    text = re.match(r"\w+\((.*)\) -> ", function.__doc__.splitlines()[0]).group(1)
    text = re.sub(r"<[^<>]*>", "0", text)  # a default that has no literal
    call = ast.parse(f"def f({re.sub(r': [^=]*?(?=( = |, [*a-z_]+(:|,|$)|$))', '', text)}): pass").body[0]
    return parameters_of(call)


def parameters_of(function):
    arguments = function.args
    plain = [argument.arg for argument in arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + [ast.unparse(value) for value in arguments.defaults]
    out = list(zip(plain, defaults))
    if arguments.kwonlyargs:
        out.append(("*", None))
    for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults):
        out.append((argument.arg, None if value is None else ast.unparse(value)))
    return out


class Stubs(unittest.TestCase):
    def check_function(self, where, stub, function):
        said, written = parameters_said(function), parameters_of(stub)
        written = [("self", None)] + written[1:] if written and written[0][0] == "self" else written
        self.assertEqual([name for name, _ in said], [name for name, _ in written], where)
        for (name, real), (_, shown) in zip(said, written):
            self.assertEqual(real is None, shown is None, f"{where}({name})")
            if shown not in (None, "...") and real != "0":
                self.assertEqual(ast.literal_eval(real), ast.literal_eval(shown), f"{where}({name})")

    def check_class(self, stub, real):
        shown = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
        if dataclasses.is_dataclass(real):
            fields = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
            self.assertEqual(fields, {field.name for field in dataclasses.fields(real)}, stub.name)
            self.assertEqual(shown, {name for name in public(dir(real))
                                     if isinstance(inspect.getattr_static(real, name), (types.FunctionType, property))}, stub.name)
            for node in (node for node in stub.body if isinstance(node, ast.FunctionDef) and not node.decorator_list):
                self.check_function(f"{stub.name}.{node.name}", node, getattr(real, node.name))
            return
        self.assertEqual(shown, {name for name in vars(real) if name in shown or
                                 not (name in PYTHON_OWN or re.match("__(init|pybind11|reduce|new|weakref).*__|_[a-z]", name))}, stub.name)
        self.assertLessEqual(set(getattr(real, "__match_args__", ())), shown)
        for node in stub.body:
            if not isinstance(node, ast.FunctionDef):
                continue
            decorators = [decorator.id for decorator in node.decorator_list]
            self.assertEqual("property" in decorators, isinstance(inspect.getattr_static(real, node.name), property), node.name)
            if "property" not in decorators:
                self.check_function(f"{stub.name}.{node.name}", node, getattr(real, node.name))

    def test_records_are_as_their_descriptions_say(self):
        made = subprocess.run([sys.executable, STUBS], capture_output=True, text=True, check=True).stdout
        self.assertEqual((FOLDER / "_records.pyi").read_text(), made, "scripts/stubs.py > python/hardhead/_records.pyi")

    def check_module(self, stub_name, module):
        nodes = ast.parse((FOLDER / stub_name).read_text()).body
        if module is hardhead:
            nodes += ast.parse((FOLDER / "_records.pyi").read_text()).body
        classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
        functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
        real = {name for name in public(vars(module)) if not inspect.ismodule(getattr(module, name))}
        self.assertEqual(set(classes) | set(functions), real)
        for name, node in classes.items():
            self.assertEqual(getattr(module, name).__module__, module.__name__, name)
            if issubclass(getattr(module, name), Exception):
                self.assertEqual([base.id for base in node.bases], [base.__name__ for base in getattr(module, name).__bases__])
            else:
                self.check_class(node, getattr(module, name))
        for name, node in functions.items():
            self.check_function(name, node, getattr(module, name))

    def test_the_package(self):
        self.check_module("__init__.pyi", hardhead)

    def test_sq(self):
        self.check_module("sq.pyi", hardhead.sq)

    def test_lwe(self):
        self.check_module("lwe.pyi", hardhead.lwe)

    def test_challenge(self):
        self.check_module("challenge.pyi", hardhead.challenge)


if __name__ == "__main__":
    unittest.main()
