import assert from "node:assert/strict";
import { test } from "node:test";
import { invalid as invalidField } from "./field-error.ts";
import { fieldPath } from "./field-path.ts";
import { invalid } from "./status-error.ts";

const kind = { group: "", kind: "Thing" };
const path = fieldPath("list");

test("invalid() describes few errors in full, and counts what exceeds its limit", () => {
  const errors = Array.from({ length: 8_000 }, (_, index) =>
    invalidField(path.index(index), "x", "y".repeat(100)),
  );
  const few = invalid(kind, "a", errors.slice(0, 100)).status;
  assert.equal(few.details?.causes?.length, 100);
  const many = invalid(kind, "a", errors).status;
  const described = many.details?.causes?.length ?? 0;
  assert.ok(described > 100 && described < 2_000, `${described}`);
  assert.ok(many.message?.endsWith(`, and ${8_000 - described} more errors]`));
});

test("invalid() shortens one long error", () => {
  const { message = "" } = invalid(kind, "a", [invalidField(path, "x".repeat(1e6), "bad")]).status;
  assert.ok(message.length < 200_000, `${message.length}`);
  assert.ok(message.endsWith("… (truncated)"));
});
