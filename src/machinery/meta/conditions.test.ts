import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findCondition,
  hasCondition,
  validateConditions,
  withCondition,
  withoutCondition,
} from "./conditions.ts";
import { formatFieldError } from "./field-error.ts";
import { fieldPath } from "./field-path.ts";

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const then = "2025-01-01T00:00:00Z";
const ready = { type: "Ready", status: "True", reason: "Up", lastTransitionTime: then };

test("withCondition() changes the transition time only with the status", () => {
  assert.deepEqual(withCondition(undefined, { type: "Ready", status: "True" }, now), [
    { type: "Ready", status: "True", lastTransitionTime: "2026-01-02T03:04:05Z" },
  ]);
  const list = [ready];
  assert.equal(withCondition(list, { type: "Ready", status: "True", reason: "Up" }, now), list);
  assert.deepEqual(withCondition(list, { type: "Ready", status: "True", reason: "Still" }, now), [
    { ...ready, reason: "Still" },
  ]);
  assert.deepEqual(withCondition(list, { type: "Ready", status: "False", reason: "Up" }, now), [
    { ...ready, status: "False", lastTransitionTime: "2026-01-02T03:04:05Z" },
  ]);
  const dated = { ...ready, status: "False", lastTransitionTime: "2025-06-01T00:00:00Z" };
  assert.deepEqual(withCondition(list, dated, now), [dated]);
});

test("findCondition() and related functions look up by type", () => {
  assert.equal(findCondition([ready], "Ready"), ready);
  assert.equal(findCondition(undefined, "Ready"), undefined);
  assert.ok(hasCondition([ready], "Ready") && !hasCondition([ready], "Ready", "False"));
  assert.deepEqual(withoutCondition([ready], "Ready"), []);
});

test("validateConditions() reports every problem", () => {
  const conditions = [
    { type: "", status: "", reason: "", message: "", lastTransitionTime: "" },
    {
      type: "Ready",
      status: "Maybe",
      reason: "9",
      message: "",
      lastTransitionTime: then,
      observedGeneration: -1,
    },
    {
      type: "Ready",
      status: "True",
      reason: "x".repeat(1025),
      message: "x".repeat(32769),
      lastTransitionTime: then,
    },
  ];
  assert.deepEqual(
    validateConditions(conditions, fieldPath("status", "conditions")).map(formatFieldError),
    [
      "status.conditions[0].type: Required value: is required",
      "status.conditions[0].status: Required value",
      "status.conditions[0].lastTransitionTime: Required value",
      "status.conditions[0].reason: Required value",
      'status.conditions[1].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      "status.conditions[1].observedGeneration: Invalid value: -1: must be greater than or equal to zero",
      "status.conditions[1].reason: Invalid value: \"9\": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')",
      'status.conditions[2]: Duplicate value: "Ready"',
      "status.conditions[2].reason: Too long: may not be more than 1024 bytes",
      "status.conditions[2].message: Too long: may not be more than 32768 bytes",
    ],
  );
});
