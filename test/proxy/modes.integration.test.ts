import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { ProgramError } from "#/std/process/run-program.ts";
import { mayMakeNamespaces, type NetworkNamespace } from "#/testing/network-namespace.ts";
import { until } from "#/testing/until.ts";
import { ApiNamespace, ourProxy, ownMetrics, stop } from "./api-namespace.ts";
import { differences } from "./ipvs-variants.ts";
import { listRules, type ProxyMode, proxyModes, type RuleListing } from "./node-namespace.ts";
import { recordedRules } from "./recorded-rules.ts";

const modes = proxyModes.filter(({ options }) => options.skip === false).map(({ mode }) => mode);

/** Every change from one mode to another, as a path. */
const path = modes.flatMap((from, index) => modes.slice(index + 1).flatMap((to) => [from, to]));

/** A table of iptables without rules: any program may have made it, and nothing shows which one. */
const emptyTable = /^\*\w+\n(:[A-Z]+ ACCEPT \S+\n)+COMMIT$/gm;

/** What other modes than this one have in a namespace. */
async function leftovers(namespace: NetworkNamespace, mode: ProxyMode): Promise<string> {
  const commands = [
    ...(mode === "nftables" ? [] : ["nft list tables | grep kube-proxy || true"]),
    ...(mode === "nftables" ? ["iptables-save; ip6tables-save"] : []),
    ...(mode === "ipvs" || !modes.includes("ipvs")
      ? []
      : ["ipset save; ipvsadm -Sn; ip -o link show dev kube-ipvs0 2>/dev/null || true"]),
  ];
  const text = (await namespace.sh(commands.join("; "))).replaceAll(/^#.*$/gm, "");
  return text.replaceAll(emptyTable, "").trim();
}

const options = { skip: !mayMakeNamespaces && "needs root" };
let api: ApiNamespace;
before(async () => {
  if (mayMakeNamespaces) api = await ApiNamespace.start();
});
after(() => api?.[Symbol.asyncDispose]());

const kernel = "/proc/sys/net";
const established = `${kernel}/netfilter/nf_conntrack_tcp_timeout_established`;

/** What --init-only sets in each mode, besides connection tracking. */
const initial: Readonly<Record<ProxyMode, readonly string[]>> = {
  nftables: [],
  iptables: [`${kernel}/ipv4/conf/all/route_localnet`],
  ipvs: [`${kernel}/ipv4/vs/conntrack`, `${kernel}/ipv4/vs/expire_nodest_conn`],
};

for (const mode of modes) {
  test(
    `--init-only in mode ${mode} prepares the kernel, and writes no rules`,
    options,
    async () => {
      const { namespace } = api;
      const files = [...initial[mode], established];
      for (const file of files) await namespace.sh(`echo 0 > ${file} || echo 7 > ${file}`);
      const [program = "", ...args] = ourProxy;
      const flags = ["--init-only", `--proxy-mode=${mode}`];
      const timeout = "--conntrack-tcp-timeout-established=77s";
      await namespace.run(program, [...args, ...api.args([...flags, timeout])]);
      const found = (await namespace.sh(`cat ${files.join(" ")}`)).trim().split("\n");
      assert.deepEqual(found, [...initial[mode].map(() => "1"), "77"]);
      assert.doesNotMatch(await namespace.sh("nft list ruleset"), /kube-proxy|KUBE-SERVICES/);
    },
  );
}

const noIpvs = { skip: options.skip || (modes.includes("ipvs") && "the kernel has ipvs") };
test(
  "mode ipvs ends with the error of the real one where the kernel lacks it",
  noIpvs,
  async () => {
    const [program = "", ...args] = ourProxy;
    const running = api.namespace.run(program, [...args, ...api.args(["--proxy-mode=ipvs"])]);
    await assert.rejects(running, (error: ProgramError) => {
      assert.equal(error.exitCode, 1);
      assert.match(error.stderr, /can't use the IPVS proxier: ipvs not supported/);
      return true;
    });
  },
);

test(`a mode leaves nothing of the one before: ${path.join(" → ")}`, options, async () => {
  const { namespace } = api;
  const file = new URL("recorded/metrics.json", import.meta.url);
  const metrics = JSON.parse(await readFile(file, "utf8")) as Record<ProxyMode, string[]>;
  for (const mode of path) {
    const proxy = api.startProxy(ourProxy, [`--proxy-mode=${mode}`]);
    const expected = await recordedRules(mode, namespace);
    let left: RuleListing = {};
    await until(`the rules of mode ${mode} are there`, async () => {
      left = differences(expected, await listRules(namespace, mode).catch(() => ({})));
      return Object.keys(left).length === 0;
    }).catch(() => assert.deepEqual(left, {}, mode));
    assert.equal(await leftovers(namespace, mode), "", mode);
    let names: string[] = [];
    await until(`the metrics of mode ${mode} are there`, async () => {
      names = ownMetrics(await api.metrics().catch(() => ""));
      return isDeepStrictEqual(names, metrics[mode]);
    }).catch(() => assert.deepEqual(names, metrics[mode], mode));
    await stop(proxy);
  }
});
