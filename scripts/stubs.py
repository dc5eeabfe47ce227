#!/usr/bin/env python3
"""Prints the stubs of the records that describe themselves, from the docstrings of their attributes: stubs.py > python/hardhead/_records.pyi"""
import hardhead


def stub(record):
    """The class as a stub."""
    lines = [f"class {record.__name__}:"]
    names = list(record.__match_args__)
    names += [name for name in vars(record) if not name.startswith("_") and name not in names]
    for name in names:
        value = vars(record)[name]
        if isinstance(value, property):
            lines += ["    @property", f"    def {name}(self) -> {value.__doc__}: ..."]
        else:
            lines.append(f"    def {name}(self) -> {value.__doc__.splitlines()[0].rpartition('-> ')[2]}: ...")
    return lines


def is_described(value):
    """A record whose attributes say their types."""
    names = getattr(value, "__match_args__", ()) if isinstance(value, type) else ()
    return bool(names) and all(name in vars(value) and vars(value)[name].__doc__ for name in names)


def main():
    described = [value for _, value in sorted(vars(hardhead).items()) if is_described(value)]
    head = ['"""Made by scripts/stubs.py from the descriptions in C++."""', "from typing import Literal, Optional", "", "from . import HeadMatch, Layer", ""]
    print("\n".join(head + [line for record in described for line in stub(record) + [""]]).rstrip())


if __name__ == "__main__":
    main()
