import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fieldPath } from "./field-path.ts";
import { formatLabels } from "./format-labels.ts";
import { parseSelector } from "./label-parser.ts";
import {
  everything,
  type Labels,
  labelRequirement,
  nothing,
  SelectorError,
  selectorFromLabels,
} from "./labels.ts";
import recorded from "./recorded/selectors.json" with { type: "json" };

const seed = 20370;

interface RecordedSelector {
  text: string;
  error?: string;
  canonical?: string;
  matches?: string;
  exact?: string;
}

const labelSets = recorded.labelSets as unknown as Labels[];

for (const {
  text,
  error,
  canonical,
  matches,
  exact,
} of recorded.labelSelectors as RecordedSelector[]) {
  test(`parseSelector() agrees with upstream on ${JSON.stringify(text)}`, () => {
    const withPath = text.startsWith("PATH ");
    const parse = () =>
      withPath ? parseSelector(text.slice(5), fieldPath("spec", "selector")) : parseSelector(text);
    if (error !== undefined) {
      assert.throws(parse, (thrown) => {
        assert.ok(thrown instanceof SelectorError);
        assert.equal(thrown.message, error);
        return true;
      });
      return;
    }
    const selector = parse();
    assert.equal(selector.toString(), canonical);
    assert.equal(labelSets.map((set) => (selector.matches(set) ? "1" : "0")).join(""), matches);
    assert.equal(selector.requiresExactMatch("a"), exact);
    assert.equal(selector.exactMatches().get("a"), exact);
  });
}

test("Selector has isEverything and selectable", () => {
  assert.ok(
    everything.isEverything && everything.matches(undefined) && everything.matches({ a: "1" }),
  );
  assert.ok(!nothing.isEverything && !nothing.matches(undefined) && !nothing.matches({ a: "1" }));
  assert.equal(nothing.add(labelRequirement("a", "exists", [])), nothing);
  assert.equal(everything.add(labelRequirement("a", "exists", [])).toString(), "a");
});

test("Selector ignores inherited properties", () => {
  assert.ok(!parseSelector("constructor").matches({}));
  assert.ok(parseSelector("!toString").matches({}));
  assert.ok(parseSelector("constructor").matches({ constructor: "x" }));
});

test("selectorFromLabels() requires every label", () => {
  const selector = selectorFromLabels({ b: "2", a: "1" });
  assert.equal(selector.toString(), "a=1,b=2");
  assert.ok(selector.matches({ a: "1", b: "2", c: "3" }));
  assert.ok(!selector.matches({ a: "1" }));
  assert.equal(selectorFromLabels(undefined), everything);
  assert.equal(formatLabels({ b: "2", a: "1" }), "a=1,b=2");
});

test("labelRequirement() refuses unknown operators", () => {
  assert.throws(
    () => labelRequirement("a", "like", ["x"]),
    new SelectorError(
      'operator: Unsupported value: "like": supported values: "in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"',
    ),
  );
});

const keys = fc.stringMatching(/^([a-z]{1,5}\.io\/)?[a-zA-Z]([-a-z_.0-9]{0,5}[0-9])?$/);
const values = fc.stringMatching(/^([a-z0-9]([-a-z_.0-9]{0,5}[0-9])?)?$/);
const requirements = fc.oneof(
  fc.record({
    key: keys,
    operator: fc.constantFrom("in", "notin"),
    values: fc.uniqueArray(values, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    key: keys,
    operator: fc.constantFrom("=", "==", "!="),
    values: values.map((value) => [value]),
  }),
  fc.record({
    key: keys,
    operator: fc.constantFrom("exists", "!"),
    values: fc.constant<string[]>([]),
  }),
  fc.record({
    key: keys,
    operator: fc.constantFrom("gt", "lt"),
    values: fc.nat().map((n) => [String(n)]),
  }),
);

test("parseSelector() reads what toString() writes", () => {
  fc.assert(
    fc.property(fc.array(requirements, { maxLength: 5 }), (list) => {
      const selector = everything.add(
        ...list.map(({ key, operator, values }) => labelRequirement(key, operator, values)),
      );
      const read = parseSelector(selector.toString());
      assert.equal(read.toString(), selector.toString());
    }),
    { seed },
  );
});

test("parseSelector() throws nothing but SelectorError", () => {
  const texts = fc.string({ unit: fc.constantFrom(..."a1=!,()<> \tinot/.-\0é"), maxLength: 30 });
  fc.assert(
    fc.property(texts, (text) => {
      try {
        parseSelector(text).matches({ a: "1" });
      } catch (error) {
        assert.ok(error instanceof SelectorError);
      }
    }),
    { seed, numRuns: 3000 },
  );
});

test("parseSelector() parses long texts in linear time", () => {
  const list = Array.from({ length: 50_000 }, (_, index) => `v${index}`).join(",");
  assert.ok(parseSelector(`a in (${list})`).matches({ a: "v49999" }));
  assert.throws(() => parseSelector("(".repeat(1_000_000)), SelectorError);
  assert.throws(() => parseSelector("a".repeat(3_000_000)), SelectorError);
});
