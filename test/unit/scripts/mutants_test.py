"""The places that test/mutants changes."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "mutants"))

from places import changed, places  # noqa: E402  (found by the line above)


def mutants(text):
    return {changed(text, each) for each in places(text)}


class Places(unittest.TestCase):
    def test_comparisons_and_operators_are_swapped(self):
        self.assertEqual(mutants("return a == b && !c;"), {"return a != b && !c;", "return a == b || !c;", "return a == b && c;"})
        self.assertEqual(mutants("return a < b;"), {"return a <= b;"})

    def test_conditions_are_negated(self):
        self.assertEqual(mutants("if (f(a)) g();"), {"if (!(f(a))) g();"})
        self.assertEqual(mutants("if (const auto a = f(); a.g()) h();"), {"if (const auto a = f(); !(a.g())) h();"})

    def test_declarations_are_no_conditions(self):
        self.assertEqual(mutants("if (const auto a = f()) g();"), set())

    def test_constants_are_one_more_or_less(self):
        self.assertEqual(mutants("x = 1'000u;"), {"x = 1001u;", "x = 999u;"})
        self.assertEqual(mutants("mode = 0755;"), {"mode = 0756;", "mode = 0754;"})
        self.assertEqual(mutants("return true;"), {"return false;"})

    def test_text_comments_and_templates_stay(self):
        self.assertEqual(mutants('#if 1\nf("a == 1", \'"\', \'2\');  // 3 < 4\n/* 5 */ std::array<int, n> x; R"(6 && 7)"; T&& y;'), set())


if __name__ == "__main__":
    unittest.main()
