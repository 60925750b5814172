import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { ipFamilies } from "#/proxy/base/ip-family.ts";
import { proxyMetrics } from "#/proxy/base/metrics.ts";
import { ServiceTracker } from "#/proxy/base/service-tracker.ts";
import { proxyFlags } from "#/proxy/config/flags.ts";
import { loadConfiguration } from "#/proxy/config/load-configuration.ts";
import { openBackend, ruleOptions } from "#/proxy/open-backend.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { variants, withServerSettings } from "./ipvs-variants.ts";
import type { RuleListing } from "./node-namespace.ts";
import { clusterCidr, nodeIps, nodeName, serviceCidrs, services, slices } from "./objects.ts";

const recordedAt = async (name: string) =>
  JSON.parse(await readFile(new URL(`recorded/${name}.json`, import.meta.url), "utf8"));
const recorded = (await recordedAt("ipvs-variants")) as Record<string, RuleListing>;
const base = withServerSettings((await recordedAt("ipvs")) as RuleListing);

const interfaces = JSON.stringify([
  { ifname: "lo", addr_info: [{ local: "127.0.0.1" }, { local: "::1" }] },
  {
    ifname: "br0",
    addr_info: [{ local: nodeIps.IPv4 }, { local: nodeIps.IPv6 }, { local: "fe80::1" }],
  },
]);

/** The input of every program that a backend runs on a node without rules. */
async function planned(flags: readonly string[]): Promise<Map<string, string>> {
  const inputs = new Map<string, string>();
  const run: RunProgram = async (program, args, input = "") => {
    if (input !== "") inputs.set(program, `${inputs.get(program) ?? ""}${input}`);
    return program === "ip" && args.includes("show") ? interfaces : "";
  };
  const parsed = parseFlags(proxyFlags, [
    "--proxy-mode=ipvs",
    `--cluster-cidr=${clusterCidr}`,
    ...flags,
  ]);
  const log = logger("proxy-test");
  const setup = {
    config: await loadConfiguration(parsed),
    mode: "ipvs" as const,
    families: ipFamilies,
    ips: nodeIps,
    facts: { ips: Object.values(nodeIps), podCIDRs: [] },
    run,
    metrics: proxyMetrics(new Registry(), "ipvs"),
    clock: systemClock,
    log,
  };
  const addresses = () => ({ machineIps: Object.values(nodeIps), serviceCidrs });
  for (const family of ipFamilies) {
    const tracker = new ServiceTracker(family, nodeName);
    tracker.setZone("z1");
    for (const each of services) tracker.setService(`default/${each.metadata.name}`, each);
    for (const each of slices) {
      const isHeadless = "service.kubernetes.io/headless" in (each.metadata.labels ?? {});
      if (!isHeadless) tracker.setSlice(each, false);
    }
    const { services: all } = tracker.take(true);
    const backend = await openBackend(setup, await ruleOptions(setup, family));
    await backend.sync({ full: true, services: all, addresses, totalEndpoints: 0 });
  }
  return inputs;
}

/** The servers, sets and addresses that are made by programs' input, as listings of the kernel have them. */
function listingOf(inputs: ReadonlyMap<string, string>): RuleListing {
  const found: RuleListing = { "address kube-ipvs0": [] };
  const lines = (program: string): string[] => (inputs.get(program) ?? "").trim().split("\n");
  for (const line of lines("ipset")) {
    const [, command, name = "", rest = ""] = /^(create|add) (\S+) (.*)/.exec(line) ?? [];
    assert(command, line);
    found[`ipset ${name}`] = [...(found[`ipset ${name}`] ?? []), rest];
  }
  for (const line of lines("ipvsadm")) {
    const [, address = "", rest = ""] = /^-[Aa] (\S+ \S+) (.*)/.exec(line) ?? [];
    found[`ipvs ${address}`] = [...(found[`ipvs ${address}`] ?? []), rest];
  }
  for (const line of lines("ip")) {
    const [, address] = /^address replace (\S+) dev kube-ipvs0$/.exec(line) ?? [];
    found["address kube-ipvs0"]?.push(address ?? line);
  }
  for (const list of Object.values(found)) list.sort();
  return found;
}

for (const { name, flags, before } of variants) {
  // What was there before is the kernel's.
  if (before !== undefined) continue;
  test(`servers, sets and addresses of mode ipvs are those of the real one: ${name}`, async () => {
    const wanted = { ...base, ...recorded[name] };
    const isOwn = ([key]: [string, string[]]): boolean =>
      /^(ipvs|ipset|address) |^server/.test(key);
    const expected = Object.fromEntries(Object.entries(wanted).filter(isOwn));
    // An empty list is a server without real ones, or one that is not there.
    const filled = (listing: RuleListing): RuleListing =>
      Object.fromEntries(Object.entries(listing).filter(([, lines]) => lines.length > 0));
    const listing = withServerSettings(listingOf(await planned(flags)));
    listing["server settings"]?.sort();
    expected["server settings"]?.sort();
    assert.deepEqual(filled(listing), filled(expected));
  });
}
