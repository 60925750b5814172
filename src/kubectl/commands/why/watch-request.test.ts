import assert from "node:assert/strict";
import { test } from "node:test";
import { watchRequest } from "./watch-request.ts";

const found = { state: "found", value: { metadata: { resourceVersion: "7" } } } as const;
const absent = { state: "absent", message: "" } as const;
const pods = "/api/v1/namespaces/a/pods";

const cases = [
  { path: `${pods}/web`, answer: found, watch: `${pods}?fieldSelector=metadata.name%3Dweb` },
  {
    path: `${pods}?labelSelector=app%3Dweb&limit=500`,
    answer: found,
    watch: `${pods}?labelSelector=app%3Dweb`,
  },
  {
    path: "/api/v1/nodes/n1",
    answer: found,
    watch: "/api/v1/nodes?fieldSelector=metadata.name%3Dn1",
  },
  {
    path: "/apis/apps/v1/namespaces/a/deployments?limit=500",
    answer: found,
    watch: "/apis/apps/v1/namespaces/a/deployments?",
  },
  { path: `${pods}/web/log?container=c`, answer: found, watch: undefined },
  { path: `${pods}/web/portforward?ports=80`, answer: found, watch: undefined },
  { path: "/apis/metrics.k8s.io/v1beta1", answer: found, watch: undefined },
  { path: `${pods}/web`, answer: { state: "forbidden", message: "" }, watch: undefined },
] as const;

for (const { path, answer, watch } of cases) {
  test(`watchRequest() of ${path}, ${answer.state}`, () => {
    const request = watchRequest(path, answer);
    const text = request && `${request.path}?${request.query}`;
    const expected =
      watch && `${watch}${watch.endsWith("?") ? "" : "&"}watch=true&resourceVersion=7`;
    assert.equal(text, expected);
  });
}

test("watchRequest() of what is not there yet begins with what comes", () => {
  const request = watchRequest(`${pods}/web`, absent);
  assert.equal(String(request?.query), "fieldSelector=metadata.name%3Dweb&watch=true");
});
