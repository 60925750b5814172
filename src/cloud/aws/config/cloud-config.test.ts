import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCloudConfig } from "./cloud-config.ts";
import recorded from "./recorded/cloud-config.json" with { type: "json" };

/** What upstream's reader gave. */
interface Recorded {
  readonly name: string;
  readonly source: string;
  readonly error?: string;
  readonly config?: {
    readonly Global: Readonly<Record<string, unknown>>;
    readonly ServiceOverride: Readonly<Record<string, Readonly<Record<string, string>>>> | null;
  };
}

for (const { name, source, error, config } of recorded as readonly Recorded[]) {
  test(`parseCloudConfig() reads a file as upstream: ${name}`, () => {
    if (error !== undefined) {
      assert.throws(() => parseCloudConfig(source), { message: error });
      return;
    }
    const { global, overrides } = parseCloudConfig(source);
    assert.deepEqual(lowerKeys(global), lowerKeys(withDefaults(config?.Global ?? {})));
    const expected = Object.values(config?.ServiceOverride ?? {}).map((override) => ({
      service: override["Service"],
      region: override["Region"],
      url: override["URL"],
      signingRegion: override["SigningRegion"],
      signingName: override["SigningName"],
    }));
    assert.deepEqual(overrides, expected);
  });
}

test("parseCloudConfig() refuses two overrides of one service in one region", () => {
  const override = (number: number): string =>
    `[ServiceOverride "${number}"]\nService=EC2\nRegion=r\nURL=http://x\nSigningRegion=r\n`;
  assert.throws(() => parseCloudConfig(override(1) + override(2)), {
    message:
      "unable to validate custom endpoint overrides: duplicate entry found for service override [2] (EC2 in r)",
  });
});

test("parseCloudConfig() reports entries without a meaning", () => {
  const { warnings } = parseCloudConfig("[Global]\nTypo = 1\n[Other]\n");
  assert.deepEqual(warnings, [
    `can't store data at section "Global", variable "Typo"`,
    `can't store data at section "Other"`,
  ]);
});

/** Upstream fills the families later, and omits empty values of newer keys. */
function withDefaults(global: Readonly<Record<string, unknown>>) {
  return {
    clusterServiceLoadBalancerHealthProbeMode: "",
    clusterServiceSharedLoadBalancerHealthProbePort: 0,
    clusterServiceSharedLoadBalancerHealthProbePath: "",
    supportedTopologyInstanceTypePattern: "",
    nlbSecurityGroupMode: "",
    ...global,
    NodeIPFamilies: global["NodeIPFamilies"] ?? ["ipv4"],
  };
}

const lowerKeys = (object: object) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key.toLowerCase(), value]));
