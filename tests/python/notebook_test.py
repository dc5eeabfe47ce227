"""docs/tour.ipynb runs from its first cell to its last, and prints what it shows."""
import asyncio
import importlib.util
import os
import unittest

TOUR = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "tour.ipynb")


def texts(cells):
    """What each cell printed and returned, without figures."""
    return ["".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])
                    if "image/png" not in output.get("data", {}))
            for cell in cells]


class Tour(unittest.TestCase):
    def setUp(self):
        for module, package in (("nbconvert", "python3-nbconvert"), ("ipykernel", "python3-ipykernel"),
                                ("matplotlib", "python3-matplotlib")):
            if importlib.util.find_spec(module) is None:
                print(f"skipped: {module} is missing (Debian: {package})")  # ctest looks for this
                self.skipTest(module)

    def test_it_prints_what_it_shows(self):
        import nbformat
        from nbconvert.preprocessors import ExecutePreprocessor

        shown = nbformat.read(TOUR, as_version=4)
        ran = nbformat.read(TOUR, as_version=4)
        asyncio.set_event_loop(asyncio.new_event_loop())
        ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(ran, {"metadata": {"path": os.path.dirname(TOUR)}})
        self.assertEqual(texts(ran.cells), texts(shown.cells))
        figures = sum("image/png" in output.get("data", {}) for cell in ran.cells for output in cell.get("outputs", []))
        self.assertEqual(figures, 2)


if __name__ == "__main__":
    unittest.main()
