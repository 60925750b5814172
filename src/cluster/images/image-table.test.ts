import assert from "node:assert/strict";
import { test } from "node:test";
import { imageRows } from "./image-table.ts";

test("imageRows() has a row for each name, sorted, with the nodes that have it", () => {
  const web = {
    id: `sha256:${"ab".repeat(32)}`,
    names: ["web:1", "shop/web:1"],
    sizeBytes: 2_340_000,
  };
  const pause = { id: "sha256:0123456789abcdef", names: ["pause:1"], sizeBytes: 4_200 };
  const unnamed = { id: "sha256:ffff", names: [], sizeBytes: 0 };
  assert.deepEqual(
    imageRows([
      { node: "a", images: [web, pause] },
      { node: "b", images: [pause, unnamed] },
    ]),
    [
      ["IMAGE", "ID", "SIZE", "NODES"],
      ["<none>", "ffff", "0.0 kB", "b"],
      ["pause:1", "0123456789ab", "4.2 kB", "a,b"],
      ["shop/web:1", "abababababab", "2.3 MB", "a"],
      ["web:1", "abababababab", "2.3 MB", "a"],
    ],
  );
});
