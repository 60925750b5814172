/**
 * Records what the real kube-proxy writes to the kernel for the objects in objects.ts, into recorded/: run as root. REFERENCE_BIN
 * is the folder of the real kube-proxy. Arguments name the modes, of which the kernel must support each: nftables and iptables by
 * default. "metrics:MODE" records the names of metrics in a mode, "ipvs-variants" records what flags change in mode ipvs, "ipvs-life" what a proxy does with connections.
 */

import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { systemClock } from "#/std/time/clock.ts";
import { ApiNamespace, ownMetrics, stop } from "./api-namespace.ts";
import { playLife } from "./ipvs-life.ts";
import {
  differences,
  listAll,
  resetSettings,
  variants,
  withServerSettings,
} from "./ipvs-variants.ts";
import { listRules, type ProxyMode, type RuleListing } from "./node-namespace.ts";

/** How long (ms) rules must stay the same: longer than a slow machine takes from one family to the next. */
const settleMs = Number(process.env["SETTLE_MS"] ?? 20_000);
/** Removes all that a proxy may have made; faster than a proxy's own clean-up. */
const wipe =
  "nft flush ruleset; ipvsadm -C || true; ipset destroy || true; ip link del kube-ipvs0 || true";

const folder =
  process.env["REFERENCE_BIN"] ?? join(homedir(), ".cache/kube-conformance/reference/bin");
const theirs = [join(folder, "kube-proxy")];

const asked = process.argv.slice(2);
for (const name of asked.length > 0 ? asked : ["nftables", "iptables"]) {
  await using api = await ApiNamespace.start();
  const [what = "", mode = ""] = name.split(":");
  if (mode === "") await record(name, await answersOf(api, name));
  else await record(what, { ...(await known(what)), [mode]: await metricsOf(api, mode) });
}

async function known(name: string): Promise<object> {
  const file = new URL(`recorded/${name}.json`, import.meta.url);
  return JSON.parse(await readFile(file, "utf8").catch(() => "{}"));
}

async function metricsOf(api: ApiNamespace, mode: string): Promise<readonly string[]> {
  return await run(api, [`--proxy-mode=${mode}`], async () => ownMetrics(await api.metrics()));
}

async function answersOf(api: ApiNamespace, name: string): Promise<object> {
  if (name === "ipvs-variants") return await allVariants(api);
  if (name !== "ipvs-life") {
    const list = () => listRules(api.namespace, name as ProxyMode);
    return await run(api, [`--proxy-mode=${name}`], list);
  }
  const states: Record<string, readonly string[]> = {};
  await playLife(api, theirs, async (step, list) => {
    states[step] = await settled(list);
    process.stdout.write(`${step}\n`);
  });
  return states;
}

async function allVariants(api: ApiNamespace): Promise<Record<string, RuleListing>> {
  const { namespace } = api;
  const found: Record<string, RuleListing> = {};
  let base: RuleListing = {};
  for (const { name, flags, before = "", after = "" } of variants) {
    await resetSettings(namespace);
    await namespace.sh(before);
    const listed = await run(api, ["--proxy-mode=ipvs", ...flags], () => listAll(namespace));
    await namespace.sh(after);
    const listing = withServerSettings(listed);
    found[name] = differences(listing, base);
    process.stdout.write(`${name}: ${Object.keys(found[name]).length}\n`);
    if (name === "defaults") {
      // The rules themselves are in another file.
      const { settings = [], timeouts = [] } = listing;
      found[name] = { settings, timeouts };
      base = listing;
    }
    await record("ipvs-variants", found);
  }
  return found;
}

/** The state that a proxy with these flags leaves, which is then removed. */
async function run<T>(
  api: ApiNamespace,
  flags: readonly string[],
  list: () => Promise<T>,
): Promise<T> {
  const proxy = api.startProxy(theirs, flags);
  await api.untilSynced();
  const listing = await settled(list);
  await stop(proxy);
  await api.namespace.sh(wipe);
  return listing;
}

/** kube-proxy does not report every write: rules are complete if they stay the same. */
async function settled<T>(list: () => Promise<T>): Promise<T> {
  let [state, since] = [await list(), systemClock.monotonicMs()];
  while (systemClock.monotonicMs() - since < settleMs) {
    // Only recording waits, and there is nothing to wait for but time.
    await systemClock.sleep(1000);
    const now = await list();
    if (!isDeepStrictEqual(now, state)) [state, since] = [now, systemClock.monotonicMs()];
  }
  return state;
}

async function record(name: string, content: object): Promise<void> {
  const file = new URL(`recorded/${name}.json`, import.meta.url);
  await writeFile(file, `${JSON.stringify(content, undefined, 1)}\n`);
}
