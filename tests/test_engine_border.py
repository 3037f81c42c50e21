import ast
import inspect
from pathlib import Path

import longfat
from longfat import _engine

STUB = ast.parse((Path(longfat.__file__).parent / "_engine.pyi").read_text())


def test_the_stub_names_what_the_compiled_module_has() -> None:
    declared = set()
    for node in STUB.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            declared.add(node.target.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            declared.add(node.name)
    assert declared == {name for name in dir(_engine) if not name.startswith("__")}


def test_every_function_takes_the_parameters_that_the_stub_declares() -> None:
    functions = [node for node in STUB.body if isinstance(node, ast.FunctionDef)]
    declared = {node.name: [argument.arg for argument in node.args.args] for node in functions}
    compiled = {
        name: list(inspect.signature(getattr(_engine, name)).parameters) for name in declared
    }
    assert compiled == declared
