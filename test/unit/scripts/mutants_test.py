"""The places that test/mutants changes."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "mutants"))

import schemata  # noqa: E402  (found by the line above)
from places import changed, places  # noqa: E402


def mutants(text):
    return {changed(text, each) for each in places(text)}


class Places(unittest.TestCase):
    def test_comparisons_and_operators_are_swapped(self):
        self.assertEqual(mutants("return a == b && !c;"), {"return a != b && !c;", "return a == b || !c;", "return a == b && c;"})
        self.assertEqual(mutants("return a < b;"), {"return a <= b;"})

    def test_mutants_negate_conditions(self):
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


class Schemata(unittest.TestCase):
    def made(self, text, *afters):
        """The text with the changes whose text `afters` are: numbers 1, 2…"""
        found = {changed(text, each): each for each in places(text)}
        numbered = {number: found[after] for number, after in enumerate(afters, 1)}
        made, without, lasting = schemata.schemata(text, numbered, "/file")
        return made.removeprefix(schemata.header("/file")), without, lasting

    def test_an_operator_is_chosen_with_the_expression_that_it_decides(self):
        made, _, _ = self.made("f(a, b == c[1] && d);", "f(a, b != c[1] && d);")
        self.assertEqual(made, "f(a, (goldsmith_mutant(1) ? (b != c[1] && d) : (b == c[1] && d)));")
        made, _, _ = self.made("return !a && b;", "return a && b;")
        self.assertEqual(made, "return (goldsmith_mutant(1) ? !!(a && b) : (!a && b));")
        made, _, _ = self.made("x = a < b ? c : d;", "x = a <= b ? c : d;")
        self.assertEqual(made, "x = (goldsmith_mutant(1) ? (a <= b) : (a < b)) ? c : d;")
        made, _, _ = self.made("x += a::b{2} == c;", "x += a::b{2} != c;")
        self.assertEqual(made, "x += (goldsmith_mutant(1) ? (a::b{2} != c) : (a::b{2} == c));")

    def test_one_change_may_be_part_of_another(self):
        made, without, _ = self.made("if (f(1u)) g();", "if (!(f(1u))) g();", "if (f(2u)) g();")
        self.assertEqual(made, "if ((goldsmith_mutant(1) ? (!(f(1u))) : !!(f((goldsmith_mutant(2) ? (2u) : (1u)))))) g();")
        self.assertEqual(without, set())

    def test_constants_are_looked_up_when_they_are_used(self):
        made, _, lasting = self.made("constexpr std::size_t kMost = 8;", "constexpr std::size_t kMost = 9;")
        self.assertEqual(made, "static inline std::size_t kMost_now() { return (goldsmith_mutant(1) ? (9) : (8)); }\n#define kMost kMost_now()\n")
        self.assertEqual(lasting, set())
        made, _, _ = self.made("  constexpr std::chrono::seconds kLong{8};", "  constexpr std::chrono::seconds kLong{9};")
        self.assertEqual(made, "  const std::chrono::seconds kLong{(goldsmith_mutant(1) ? (9) : (8))};")
        made, _, lasting = self.made("constexpr Row kRows[] = {{8}};", "constexpr Row kRows[] = {{9}};")
        self.assertEqual(made, "const Row kRows[] = {{(goldsmith_mutant(1) ? (9) : (8))}};")
        self.assertEqual(lasting, {1})

    def test_what_does_not_compile_is_found_by_its_line(self):
        made = "f((goldsmith_mutant(1) ? (2) : (1)));\ng((goldsmith_mutant(2) ? (2) : (1)), (goldsmith_mutant(3) ? (2) : (1)));"
        self.assertEqual(schemata.blamed(made, 1, 4), {1})
        self.assertEqual(schemata.blamed(made, 2, 45), {3})
        self.assertEqual(schemata.blamed(made, 2, 1), {2, 3})


if __name__ == "__main__":
    unittest.main()
