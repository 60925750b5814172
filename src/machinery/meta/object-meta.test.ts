import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { formatFieldError } from "./field-error.ts";
import { fieldPath } from "./field-path.ts";
import { nameIsDNSSubdomain } from "./names.ts";
import {
  validateFieldManager,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "./object-meta.ts";

const path = fieldPath("metadata");
const rules = { namespaced: true, name: nameIsDNSSubdomain };
const create = (meta: ObjectMeta, namespaced = true): string[] =>
  validateObjectMeta(meta, { ...rules, namespaced }, path).map(formatFieldError);

test("validateObjectMeta() accepts ordinary metadata", () => {
  assert.deepEqual(
    create({
      name: "web",
      namespace: "default",
      labels: { app: "web" },
      annotations: { "Example.com/Note": "anything at all\n" },
      finalizers: ["example.com/clean-up"],
      managedFields: [{ manager: "kubectl", operation: "Apply", fieldsType: "FieldsV1" }],
    }),
    [],
  );
});

test("validateObjectMeta() requires a name and the right namespace", () => {
  assert.deepEqual(create({}), [
    "metadata.name: Required value: name or generateName is required",
    "metadata.namespace: Required value",
  ]);
  assert.deepEqual(create({ name: "web", namespace: "default" }, false), [
    "metadata.namespace: Forbidden: not allowed on this type",
  ]);
  assert.deepEqual(create({ name: "web", namespace: "a.b" }), [
    'metadata.namespace: Invalid value: "a.b": must not contain dots',
  ]);
  assert.equal(create({ generateName: "-", name: "web", namespace: "a" }).length, 1);
});

test("validateObjectMeta() validates every part", () => {
  const errors = create({
    name: "web",
    namespace: "a",
    generation: -1,
    annotations: { big: "x".repeat(256 * 1024) },
    finalizers: ["orphan", "foregroundDeletion", "a b/"],
    managedFields: [
      {
        operation: "Guess",
        fieldsType: "FieldsV2",
        manager: "a\x07",
        subresource: "x".repeat(257),
      },
      {},
    ],
  });
  assert.deepEqual(
    errors.map((text) => text.slice(0, 90)),
    [
      "metadata.generation: Invalid value: -1: must be greater than or equal to 0",
      "metadata.annotations: Too long: may not be more than 262144 bytes",
      'metadata.finalizers: Invalid value: "a b/": prefix part a lowercase RFC 1123 subdomain mus',
      'metadata.finalizers: Invalid value: "a b/": name part must be non-empty',
      'metadata.finalizers: Invalid value: "a b/": name part must consist of alphanumeric charact',
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion","a b/"]: finalizer orph',
      'metadata.managedFields[0].operation: Unsupported value: "Guess": supported values: "Apply"',
      'metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`',
      'metadata.managedFields[0].manager: Invalid value: "a\\a": invalid character U+0007 (at posi',
      "metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes",
      "metadata.managedFields[1].operation: Required value: must not be empty",
    ],
  );
});

test("validateObjectMetaUpdate() rejects a change of identity", () => {
  const old: ObjectMeta = {
    name: "web",
    namespace: "a",
    uid: "u1",
    generation: 2,
    resourceVersion: "5",
    creationTimestamp: "2026-01-01T00:00:00Z",
    deletionTimestamp: "2026-01-02T00:00:00Z",
    finalizers: ["a/b"],
  };
  const check = (meta: ObjectMeta) =>
    validateObjectMetaUpdate(meta, old, path).map(formatFieldError);
  assert.deepEqual(check(old), []);
  assert.deepEqual(
    check({
      name: "x",
      generation: 1,
      deletionGracePeriodSeconds: 3,
      finalizers: ["c/d", "a/b", "b/c"],
    }),
    [
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"b/c", "c/d"}',
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      "metadata.generation: Invalid value: 1: must not be decremented",
      'metadata.name: Invalid value: "x": field is immutable',
      'metadata.namespace: Invalid value: "": field is immutable',
      'metadata.uid: Invalid value: "": field is immutable',
      "metadata.creationTimestamp: Invalid value: null: field is immutable",
      "metadata.deletionTimestamp: Invalid value: null: field is immutable",
      "metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable",
    ],
  );
});

test("validateFieldManager() requires printable characters and reports the byte position", () => {
  const check = (manager: string) =>
    validateFieldManager(manager, fieldPath("fieldManager")).map(formatFieldError);
  assert.deepEqual(check("kubectl-client-side-apply é"), []);
  assert.deepEqual(check("é\n"), [
    'fieldManager: Invalid value: "é\\n": invalid character U+000A (at position 2)',
  ]);
  assert.deepEqual(check("x".repeat(129)), [
    "fieldManager: Too long: may not be more than 128 bytes",
  ]);
});
