import assert from "node:assert/strict";
import { test } from "node:test";
import { permits } from "./rules.ts";

test("permits() reads rules with wildcards, subresources and names", () => {
  const rules = {
    isIncomplete: false,
    rules: [
      { verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "pods/log"] },
      { verbs: ["*"], apiGroups: ["apps"], resources: ["*"] },
      { verbs: ["patch"], apiGroups: ["*"], resources: ["*/scale"] },
      { verbs: ["delete"], apiGroups: [""], resources: ["secrets"], resourceNames: ["one"] },
    ],
  };
  const may = (verb: string, group: string, resource: string) =>
    permits(rules, { verb, group, resource });
  assert.equal(may("list", "", "pods"), true);
  assert.equal(may("delete", "", "pods"), false);
  assert.equal(may("get", "", "pods/log"), true);
  assert.equal(may("watch", "apps", "deployments"), true);
  assert.equal(may("patch", "batch", "jobs/scale"), true);
  assert.equal(may("delete", "", "secrets"), false);
  const mayDelete = (name: string) =>
    permits(rules, { verb: "delete", group: "", resource: "secrets", name });
  assert.equal(mayDelete("one"), true);
  assert.equal(mayDelete("two"), false);
  assert.equal(
    permits({ ...rules, isIncomplete: true }, { verb: "x", group: "y", resource: "z" }),
    true,
  );
});
