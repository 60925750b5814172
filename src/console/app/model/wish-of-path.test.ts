import assert from "node:assert/strict";
import { test } from "node:test";
import { wishOfPath } from "./wish-of-path.ts";

const cases: readonly (readonly [path: string, wanted: ReturnType<typeof wishOfPath>])[] = [
  [
    "/api/v1/pods?limit=500",
    { wish: { verb: "list", group: "", resource: "pods" }, namespace: undefined },
  ],
  [
    "/apis/apps/v1/namespaces/shop/deployments",
    { wish: { verb: "list", group: "apps", resource: "deployments" }, namespace: "shop" },
  ],
  [
    "/api/v1/namespaces/shop/pods/web/log?tailLines=20",
    { wish: { verb: "get", group: "", resource: "pods/log", name: "web" }, namespace: "shop" },
  ],
  [
    "/api/v1/namespaces/shop",
    {
      wish: { verb: "get", group: "", resource: "namespaces", name: "shop" },
      namespace: undefined,
    },
  ],
  [
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab",
    {
      wish: {
        verb: "get",
        group: "rbac.authorization.k8s.io",
        resource: "clusterroles",
        name: "a:b",
      },
      namespace: undefined,
    },
  ],
  ["/apis/metrics.k8s.io/v1beta1", undefined],
  ["/apis", undefined],
  ["/openapi/v3/api/v1", undefined],
];

for (const [path, wanted] of cases) {
  test(`wishOfPath() of ${path}`, () => assert.deepEqual(wishOfPath(path), wanted));
}
