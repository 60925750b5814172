import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { until } from "#/testing/until.ts";
import { ApiNamespace, ourProxy, stop } from "./api-namespace.ts";
import {
  differences,
  listAll,
  resetSettings,
  variants,
  withServerSettings,
} from "./ipvs-variants.ts";
import { proxyModes, type RuleListing } from "./node-namespace.ts";

const options = proxyModes.find(({ mode }) => mode === "ipvs")?.options ?? { skip: false };
const recordedAt = async (name: string) =>
  JSON.parse(await readFile(new URL(`recorded/${name}.json`, import.meta.url), "utf8"));
const recorded = (await recordedAt("ipvs-variants")) as Record<string, RuleListing>;
const base = withServerSettings((await recordedAt("ipvs")) as RuleListing);

let api: ApiNamespace | undefined;
before(async () => {
  if (options.skip === false) api = await ApiNamespace.start();
});
after(() => api?.[Symbol.asyncDispose]());

for (const { name, flags, ...scripts } of variants) {
  test(`kube-proxy in mode ipvs sets the same as the real one: ${name}`, options, async () => {
    assert(api);
    const { namespace } = api;
    await resetSettings(namespace);
    await namespace.sh(scripts.before ?? "");
    const proxy = api.startProxy(ourProxy, ["--proxy-mode=ipvs", ...flags]);
    const expected = { ...base, ...recorded["defaults"], ...recorded[name] };
    let left: RuleListing = {};
    await until("the settings are those of the real one", async () => {
      const listing = await listAll(namespace).catch(() => ({}));
      left = differences(expected, withServerSettings(listing));
      return Object.keys(left).length === 0;
    }).catch(() => assert.deepEqual(left, {}));
    await stop(proxy);
    await namespace.run(ourProxy[0] ?? "", [...ourProxy.slice(1), "--cleanup"]);
    await namespace.sh(scripts.after ?? "");
  });
}
