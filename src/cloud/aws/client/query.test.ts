import assert from "node:assert/strict";
import { test } from "node:test";
import { ec2, elb } from "./operation.ts";
import { encodeQuery } from "./query.ts";

const params = {
  Name: "a b/ü*'()!~",
  Absent: undefined,
  Count: 3,
  On: false,
  Ids: ["x", "y"],
  None: [],
  Filter: [{ Name: "n", Value: ["v"] }],
  Nested: { Value: true },
};

const common = ["Name=a%20b%2F%C3%BC%2A%27%28%29%21~", "Count=3", "On=false"];

const cases = [
  {
    service: ec2,
    version: "2016-11-15",
    lists: ["Ids.1=x", "Ids.2=y", "Filter.1.Name=n", "Filter.1.Value.1=v"],
  },
  {
    service: elb,
    version: "2012-06-01",
    lists: [
      "Ids.member.1=x",
      "Ids.member.2=y",
      "None=",
      "Filter.member.1.Name=n",
      "Filter.member.1.Value.member.1=v",
    ],
  },
];

for (const { service, version, lists } of cases) {
  test(`encodeQuery() encodes lists as ${service.id} does`, () => {
    const expected = ["Action=Do", `Version=${version}`, ...common, ...lists, "Nested.Value=true"];
    assert.equal(encodeQuery(service, "Do", params), expected.join("&"));
  });
}
