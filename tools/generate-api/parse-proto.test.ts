import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProto } from "./parse-proto.ts";

test("parseProto() reads messages and their fields", () => {
  const source = `syntax = "proto2";

// Box = 1; is a comment
message Box {
  // name = 2;
  optional string name = 1;

  repeated .k8s.io.api.core.v1.Taint taints = 12;

  map<string, bytes> data = 3;
}

message Empty {
}
`;
  assert.deepEqual(
    parseProto(source),
    new Map([
      [
        "Box",
        [
          { name: "name", number: 1, label: "optional", type: "string" },
          { name: "taints", number: 12, label: "repeated", type: ".k8s.io.api.core.v1.Taint" },
          { name: "data", number: 3, label: "map", type: "bytes" },
        ],
      ],
      ["Empty", []],
    ]),
  );
});
