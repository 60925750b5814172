import assert from "node:assert/strict";
import { test } from "node:test";
import { type DeniedRequest, forbiddenRequest } from "./forbidden-request.ts";

const pods = { group: "", name: "pods" };
const deployments = { group: "apps", name: "deployments" };

test("forbiddenRequest() names the user, the verb, the resource and the scope", () => {
  const user = "<bob>";
  const message = (request: Omit<DeniedRequest, "user">, reason = ""): string =>
    forbiddenRequest({ user, ...request }, reason).message;
  assert.equal(
    message({ verb: "get", path: "/metrics" }),
    'forbidden: User "&lt;bob&gt;" cannot get path "/metrics"',
  );
  assert.equal(
    message({ verb: "list", resource: pods }),
    'pods is forbidden: User "&lt;bob&gt;" cannot list resource "pods" in API group "" at the cluster scope',
  );
  assert.equal(
    message(
      { verb: "update", resource: deployments, subresource: "scale", namespace: "a", name: "web" },
      "no rule",
    ),
    'deployments.apps "web" is forbidden: User "&lt;bob&gt;" cannot update resource "deployments/scale" in API group "apps" in the namespace "a": no rule',
  );
});
