import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PodLinks } from "./pod-links.ts";

const resultOf = (bridge: string, link: string, address: string): string =>
  JSON.stringify({
    result: {
      interfaces: [
        { name: bridge },
        { name: link },
        { name: "eth0", mac: "02:00:00:00:00:01", sandbox: "/run/netns/x" },
      ],
      ips: [{ address: `${address}/24`, interface: 2 }],
    },
  });

test("PodLinks reads the results of every runtime, without those of links that are gone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pod-links-"));
  const folders = [join(folder, "results"), join(folder, "cache/results")];
  const names = new Set(["veth1", "veth2", "veth4"]);
  const links = new PodLinks("cni0", async () => names, folders);
  assert.deepEqual(await links.list(), []);
  for (const each of folders) await mkdir(each, { recursive: true });
  const [first = "", second = ""] = folders;
  await writeFile(join(first, "same-name"), resultOf("cni0", "veth1", "10.244.0.2"));
  await writeFile(join(second, "same-name"), resultOf("cni0", "veth2", "10.244.0.3"));
  await writeFile(join(first, "gone"), resultOf("cni0", "veth3", "10.244.0.4"));
  await writeFile(join(first, "another-bridge"), resultOf("docker0", "veth4", "10.1.0.2"));
  await writeFile(join(first, "half"), "{");
  const found = async () => (await links.list()).map(({ name, ips }) => [name, ...ips]).sort();
  const expected = [
    ["veth1", "10.244.0.2"],
    ["veth2", "10.244.0.3"],
  ];
  assert.deepEqual(await found(), expected);
  await rm(join(second, "same-name"));
  await writeFile(join(first, "half"), resultOf("cni0", "veth2", "10.244.0.5"));
  assert.deepEqual(await found(), [
    ["veth1", "10.244.0.2"],
    ["veth2", "10.244.0.5"],
  ]);
  await rm(folder, { recursive: true });
});
