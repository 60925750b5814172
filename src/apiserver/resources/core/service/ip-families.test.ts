import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Service, ServiceSpec } from "#/api/core/v1.ts";
import type { StatusError } from "#/machinery/meta/status-error.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { type ClusterFamilies, setIPFamilies } from "./ip-families.ts";

const dual: ClusterFamilies = ["IPv4", "IPv6"];
const single: ClusterFamilies = ["IPv4"];
const service = (spec: ServiceSpec): Decoded<Service> => ({
  metadata: { name: "a" },
  spec: { type: "ClusterIP", ...spec },
});

interface Case {
  readonly name: string;
  readonly cluster: ClusterFamilies;
  readonly spec: ServiceSpec;
  readonly old?: ServiceSpec;
  /** Policy and families, or the error message. */
  readonly result: readonly [policy: string, ...families: string[]] | string;
}

const cases: Case[] = [
  { name: "no policy and no families", cluster: dual, spec: {}, result: ["SingleStack", "IPv4"] },
  {
    name: "PreferDualStack in a dual-stack cluster",
    cluster: dual,
    spec: { ipFamilyPolicy: "PreferDualStack" },
    result: ["PreferDualStack", "IPv4", "IPv6"],
  },
  {
    name: "PreferDualStack in a single-stack cluster",
    cluster: single,
    spec: { ipFamilyPolicy: "PreferDualStack" },
    result: ["PreferDualStack", "IPv4"],
  },
  {
    name: "RequireDualStack with the other family first",
    cluster: dual,
    spec: { ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6"] },
    result: ["RequireDualStack", "IPv6", "IPv4"],
  },
  {
    name: "an IPv6 address",
    cluster: dual,
    spec: { clusterIP: "fd00::1", clusterIPs: ["fd00::1"] },
    result: ["SingleStack", "IPv6"],
  },
  {
    name: "a headless Service without selector",
    cluster: single,
    spec: { clusterIP: "None", clusterIPs: ["None"] },
    result: ["RequireDualStack", "IPv4", "IPv6"],
  },
  {
    name: "both families without a policy",
    cluster: dual,
    spec: { ipFamilies: ["IPv4", "IPv6"] },
    result:
      "Service \"a\" is invalid: spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
  },
  {
    name: "a downgrade",
    cluster: dual,
    old: {
      ipFamilyPolicy: "RequireDualStack",
      ipFamilies: ["IPv4", "IPv6"],
      clusterIP: "10.0.0.5",
      clusterIPs: ["10.0.0.5", "fd00::5"],
    },
    spec: {
      ipFamilyPolicy: "SingleStack",
      ipFamilies: ["IPv4", "IPv6"],
      clusterIP: "10.0.0.5",
      clusterIPs: ["10.0.0.5", "fd00::5"],
    },
    result: ["SingleStack", "IPv4"],
  },
  {
    name: "a second address that is removed under another policy",
    cluster: dual,
    old: {
      ipFamilyPolicy: "RequireDualStack",
      ipFamilies: ["IPv4", "IPv6"],
      clusterIP: "10.0.0.5",
      clusterIPs: ["10.0.0.5", "fd00::5"],
    },
    spec: {
      ipFamilyPolicy: "RequireDualStack",
      ipFamilies: ["IPv4", "IPv6"],
      clusterIP: "10.0.0.5",
      clusterIPs: ["10.0.0.5"],
    },
    result:
      'Service "a" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be \'SingleStack\' to release the secondary cluster IP',
  },
  {
    name: "an upgrade",
    cluster: dual,
    old: {
      ipFamilyPolicy: "SingleStack",
      ipFamilies: ["IPv4"],
      clusterIP: "10.0.0.5",
      clusterIPs: ["10.0.0.5"],
    },
    spec: {
      ipFamilyPolicy: "RequireDualStack",
      ipFamilies: ["IPv4"],
      clusterIP: "10.0.0.5",
      clusterIPs: ["10.0.0.5"],
    },
    result: ["RequireDualStack", "IPv4", "IPv6"],
  },
];

describe("setIPFamilies()", () => {
  for (const { name, cluster, spec, old, result } of cases) {
    test(name, () => {
      const object = service(spec);
      const run = (): void => setIPFamilies(object, old && service(old), cluster);
      if (typeof result === "string") {
        assert.throws(run, (error: StatusError) => error.status.message === result);
        return;
      }
      run();
      const { ipFamilyPolicy, ipFamilies = [] } = object.spec;
      assert.deepEqual([ipFamilyPolicy, ...ipFamilies], result);
    });
  }
});
