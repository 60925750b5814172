import assert from "node:assert/strict";
import { test } from "node:test";
import { type Pod, pods } from "#/api/core/v1.ts";
import { setDefaults } from "./set-defaults.ts";
import { type ApiObject, serve } from "./strategy.ts";

const declaration = serve(pods, {
  common: {
    field: "spec",
    setDefaults(spec) {
      spec.nodeName ??= "n";
    },
  },
  setDefaults({ metadata }) {
    metadata.namespace ??= "ns";
  },
});
const podOf = (spec: Pod["spec"]): ApiObject & Pod => ({ metadata: {}, spec });

test("setDefaults fills in the common field, then the rest", () => {
  const pod = podOf({ containers: [] });
  setDefaults(declaration, pod, podOf({ containers: [] }));
  assert.deepEqual(pod, { metadata: { namespace: "ns" }, spec: { containers: [], nodeName: "n" } });
  const without: ApiObject = { metadata: {} };
  setDefaults(declaration, without);
  assert.deepEqual(without, { metadata: { namespace: "ns" } });
});

test("setDefaults does not change a common field that the old version has as well", () => {
  const spec = Object.freeze({ containers: [] });
  const pod = podOf(spec);
  setDefaults(declaration, pod, podOf(spec));
  assert.deepEqual(pod, { metadata: { namespace: "ns" }, spec: { containers: [] } });
});
