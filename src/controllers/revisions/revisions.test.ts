import assert from "node:assert/strict";
import { test } from "node:test";
import { revisionData } from "./revision-data.ts";

test("revisionData has sorted fields, as other programs compare its bytes", () => {
  const data = revisionData({
    metadata: {},
    spec: {
      selector: {},
      template: {
        spec: { containers: [{ name: "c", image: "i" }] },
        metadata: { labels: { b: "1", a: "2" } },
      },
    },
  });
  assert.equal(
    JSON.stringify(data),
    '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"a":"2","b":"1"}},"spec":{"containers":[{"image":"i","name":"c"}]}}}}',
  );
});
