import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFieldError } from "./field-error.ts";
import { fieldPath } from "./field-path.ts";
import { ownerReference } from "./owner-reference.ts";
import {
  controllerReference,
  findControllerReference,
  isControlledBy,
  isOwnedBy,
  validateOwnerReferences,
} from "./owner-references.ts";

const owner = { metadata: { name: "web", uid: "u1" } };
const deployments = { group: "apps", version: "v1", kind: "Deployment" };
const controller = controllerReference(owner, deployments);

test("controllerReference() names the owner and blocks its deletion", () => {
  assert.deepEqual(controller, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    name: "web",
    uid: "u1",
    controller: true,
    blockOwnerDeletion: true,
  });
  const core = { group: "", version: "v1", kind: "Pod" };
  assert.equal(ownerReference(owner, core).apiVersion, "v1");
});

test("isControlledBy() compares the controller's uid, isOwnedBy() that of any owner", () => {
  const other = { ...controller, uid: "u2", controller: false };
  const object = { metadata: { ownerReferences: [other, controller] } };
  assert.equal(findControllerReference(object), controller);
  assert.ok(isControlledBy(object, owner));
  assert.ok(!isControlledBy(object, { metadata: { uid: "u2" } }));
  assert.ok(isOwnedBy(object, { metadata: { uid: "u2" } }));
  assert.ok(!isOwnedBy({ metadata: {} }, owner));
  assert.ok(!isControlledBy({ metadata: {} }, { metadata: {} }));
});

test("validateOwnerReferences() reports every problem", () => {
  const path = fieldPath("metadata", "ownerReferences");
  const at = "metadata.ownerReferences";
  const errors = validateOwnerReferences(
    [
      { apiVersion: "", kind: "", name: "", uid: "" },
      { apiVersion: "a/b/c", kind: "K", name: "n", uid: "u" },
      { apiVersion: "apps/", kind: "K", name: "n", uid: "u" },
      { uid: "u", name: "n", kind: "Event", apiVersion: "v1" },
      { apiVersion: "/v1", kind: "K", name: "n", uid: "u", controller: true },
      { apiVersion: "v1", kind: "L", name: "m", uid: "v", controller: true },
    ],
    path,
  ).map(formatFieldError);
  assert.deepEqual(errors.slice(0, -1), [
    `${at}[0].apiVersion: Required value: must not be empty`,
    `${at}[0].kind: Required value: must not be empty`,
    `${at}[0].name: Required value: must not be empty`,
    `${at}[0].uid: Required value: must not be empty`,
    `${at}[1].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>`,
    `${at}[2].apiVersion: Invalid value: "apps/": must be <group>/<version> or <version>`,
    `${at}[3]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"n","uid":"u"}: /v1, Kind=Event is disallowed from being an owner`,
  ]);
  assert.match(
    errors.at(-1) ?? "",
    /^metadata\.ownerReferences: Invalid value: \[\{.*\}\]: Only one reference can have Controller set to true\. Found "true" in references for K\/n and L\/m$/,
  );
  assert.deepEqual(validateOwnerReferences(undefined, path), []);
});
