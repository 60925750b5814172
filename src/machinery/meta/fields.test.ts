import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FieldSelector, parseFieldSelector } from "./fields.ts";
import { SelectorError } from "./labels.ts";
import recorded from "./recorded/selectors.json" with { type: "json" };

const seed = 20370;

interface RecordedSelector {
  text: string;
  error?: string;
  canonical?: string;
  matches?: string;
  exact?: string;
}

const fieldSets = recorded.fieldSets as unknown as Record<string, string>[];

for (const {
  text,
  error,
  canonical,
  matches,
  exact,
} of recorded.fieldSelectors as RecordedSelector[]) {
  test(`parseFieldSelector() agrees with upstream on ${JSON.stringify(text)}`, () => {
    if (error !== undefined) {
      assert.throws(() => parseFieldSelector(text), { name: "SelectorError", message: error });
      return;
    }
    const selector = parseFieldSelector(text);
    assert.equal(selector.toString(), canonical);
    const found = fieldSets.map((set) =>
      selector.matches((field) => set[field] ?? "") ? "1" : "0",
    );
    assert.equal(found.join(""), matches);
    assert.equal(selector.requiresExactMatch("metadata.name"), exact);
  });
}

test("FieldSelector renames and drops fields", () => {
  const selector = parseFieldSelector("name=web,old=1").transform((one) =>
    one.field === "old" ? undefined : { ...one, field: "metadata.name" },
  );
  assert.equal(selector.toString(), "metadata.name=web");
  assert.ok(new FieldSelector([]).isEverything && !selector.isEverything);
});

test("parseFieldSelector() reads what toString() writes", () => {
  const requirement = fc.record({
    field: fc.stringMatching(/^[a-z]{1,5}(\.[a-z]{1,5})?$/),
    operator: fc.constantFrom("=" as const, "!=" as const),
    value: fc.string({ unit: fc.constantFrom(..."a\\,= é!"), maxLength: 8 }),
  });
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
      const selector = new FieldSelector(requirements);
      const read = parseFieldSelector(selector.toString());
      const sorted = (one: FieldSelector) =>
        one.requirements.map((term) => JSON.stringify(term)).sort();
      assert.deepEqual(sorted(read), sorted(selector));
    }),
    { seed },
  );
});

test("parseFieldSelector() throws nothing but SelectorError", () => {
  const texts = fc.string({ unit: fc.constantFrom(..."a=!,\\é "), maxLength: 20 });
  fc.assert(
    fc.property(texts, (text) => {
      try {
        parseFieldSelector(text);
      } catch (error) {
        assert.ok(error instanceof SelectorError);
      }
    }),
    { seed, numRuns: 2000 },
  );
});
