import assert from "node:assert/strict";
import { test } from "node:test";
import { userNamespaceProblem } from "./user-namespaces.ts";

const handlerOf = (name: string, userNamespaces: boolean) => ({
  name,
  features: { recursiveReadOnlyMounts: false, userNamespaces },
});

for (const [name, handler, handlers, expected] of [
  ["a handler that has them", "", [handlerOf("", true)], undefined],
  [
    "a handler that has none",
    "",
    [handlerOf("", false)],
    "can't set `spec.hostUsers: false`, runtime does not support user namespaces",
  ],
  [
    "a runtime that lists no handlers",
    "",
    [],
    "can't set `spec.hostUsers: false`, runtime does not support user namespaces",
  ],
  [
    "the handler of a class",
    "small",
    [handlerOf("", true), handlerOf("small", false)],
    'can\'t set `spec.hostUsers: false`, RuntimeClass handler "small" does not support user namespaces',
  ],
  [
    "a handler that the runtime does not have",
    "none",
    [handlerOf("", true)],
    'can\'t set `spec.hostUsers: false`, RuntimeClass handler "none" does not support user namespaces: the handler "none" is not known',
  ],
] as const) {
  test(`userNamespaceProblem() of ${name}`, () => {
    assert.equal(userNamespaceProblem(handler, handlers), expected);
  });
}
