import assert from "node:assert/strict";
import { test } from "node:test";
import type { LabelSelector } from "#/api/meta/v1.ts";
import { formatFieldError } from "./field-error.ts";
import { fieldPath } from "./field-path.ts";
import { parseSelector } from "./label-parser.ts";
import {
  compileLabelSelector,
  formatLabelSelector,
  hasInvalidLabelValue,
  toLabelSelector,
  validateLabelSelector,
} from "./label-selector.ts";

test("compileLabelSelector() matches as the structured form says", () => {
  const cases: [LabelSelector | undefined, string, boolean, boolean][] = [
    // selector, text, matches {a: "1"}, matches {}
    [undefined, "<none>", false, false],
    [{}, "<none>", true, true],
    [{ matchLabels: { a: "1" } }, "a=1", true, false],
    [
      { matchExpressions: [{ key: "a", operator: "In", values: ["2", "1"] }] },
      "a in (1,2)",
      true,
      false,
    ],
    [
      { matchExpressions: [{ key: "a", operator: "NotIn", values: ["1"] }] },
      "a notin (1)",
      false,
      true,
    ],
    [{ matchExpressions: [{ key: "a", operator: "Exists" }] }, "a", true, false],
    [{ matchExpressions: [{ key: "a", operator: "DoesNotExist" }] }, "!a", false, true],
    [
      { matchLabels: { b: "2" }, matchExpressions: [{ key: "a", operator: "Exists" }] },
      "a,b=2",
      false,
      false,
    ],
  ];
  for (const [structure, text, one, none] of cases) {
    const selector = compileLabelSelector(structure);
    assert.equal(formatLabelSelector(structure), text);
    assert.equal(selector.matches({ a: "1" }), one, text);
    assert.equal(selector.matches({}), none, text);
  }
});

test("compileLabelSelector() rejects invalid selectors", () => {
  const bad = { matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] };
  assert.throws(() => compileLabelSelector(bad), {
    message: '"Gt" is not a valid label selector operator',
  });
  assert.equal(formatLabelSelector(bad), "<error>");
  assert.throws(() => compileLabelSelector({ matchExpressions: [{ key: "a", operator: "In" }] }), {
    message: "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
  });
});

test("toLabelSelector() keeps the requirements that the structured form can express", () => {
  assert.deepEqual(toLabelSelector(parseSelector("a=1,b in (y,x),!c,d")), {
    matchLabels: { a: "1" },
    matchExpressions: [
      { key: "b", operator: "In", values: ["x", "y"] },
      { key: "c", operator: "DoesNotExist", values: [] },
      { key: "d", operator: "Exists", values: [] },
    ],
  });
  assert.throws(() => toLabelSelector(parseSelector("a>1")), {
    message: '"gt" isn\'t supported in label selectors',
  });
  assert.throws(() => toLabelSelector(parseSelector("a!=1")), {
    message: '"!=" is not a valid label selector operator',
  });
});

test("validateLabelSelector() reports every problem in order", () => {
  const selector = {
    matchLabels: { "-a": "b-" },
    matchExpressions: [
      { key: "a", operator: "In" },
      { key: "a", operator: "Exists", values: ["x"] },
      { key: "", operator: "<", values: ["-"] },
    ],
  };
  const at = "spec.selector";
  const key =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const value =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const errors = validateLabelSelector(selector, fieldPath("spec", "selector"));
  assert.deepEqual(errors.map(formatFieldError), [
    `${at}.matchLabels: Invalid value: "-a": ${key}`,
    `${at}.matchLabels: Invalid value: "b-": ${value}`,
    `${at}.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    `${at}.matchExpressions[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
    `${at}.matchExpressions[2].operator: Invalid value: "\\u003c": not a valid selector operator`,
    `${at}.matchExpressions[2].key: Invalid value: "": name part must be non-empty`,
    `${at}.matchExpressions[2].key: Invalid value: "": ${key}`,
    `${at}.matchExpressions[2].values[0]: Invalid value: "-": ${value}`,
  ]);
  assert.ok(hasInvalidLabelValue(selector));
  const lenient = { allowInvalidValues: true, allowUnknownOperators: true };
  assert.equal(validateLabelSelector(selector, fieldPath("spec"), lenient).length, 6);
  assert.deepEqual(validateLabelSelector(undefined, fieldPath("spec")), []);
});
