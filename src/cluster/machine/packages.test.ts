import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "#/testing/until.ts";
import { aptInstall } from "./apt-install.ts";
import { finishInterruptedInstall, installPackages } from "./packages.ts";

/** A machine that records its changes. */
function machine({
  hasSystemd = true,
  hasService = false,
  isMasked = false,
  aptFails = false,
} = {}) {
  const done: string[] = [];
  return {
    done,
    hasSystemd,
    isMasked: (service: string) => isMasked && service === "containerd.service",
    async install(packages: readonly string[]) {
      done.push(`install ${packages.join(" ")}`);
      if (aptFails) throw new Error("no network");
    },
    async systemctl(verb: string, ...args: string[]) {
      if (verb === "cat" && !hasService) throw new Error("no such unit");
      if (verb !== "cat") done.push(`${verb} ${args.at(-1)}`);
    },
  };
}

const guarded = (install: string): string[] => [
  "mask containerd.service",
  install,
  "unmask containerd.service",
  "disable containerd.service",
];
const cases = [
  {
    name: "a new containerd",
    packages: ["containerd", "runc"],
    expected: guarded("install containerd runc"),
  },
  {
    name: "a new Docker",
    packages: ["docker.io"],
    expected: [
      "mask docker.service",
      "mask docker.socket",
      "install docker.io",
      "unmask docker.service",
      "disable docker.service",
      "unmask docker.socket",
      "disable docker.socket",
    ],
  },
  { name: "other packages", packages: ["nftables"], expected: ["install nftables"] },
  {
    name: "a containerd that was there",
    packages: ["containerd"],
    of: { hasService: true },
    expected: ["install containerd"],
  },
  {
    name: "a containerd whose installation was interrupted",
    packages: ["containerd"],
    of: { hasService: true, isMasked: true },
    expected: guarded("install containerd"),
  },
  {
    name: "a machine without systemd",
    packages: ["containerd"],
    of: { hasSystemd: false },
    expected: ["install containerd"],
  },
];
for (const { name, packages, of, expected } of cases) {
  test(`installPackages() of ${name} starts no service that was not there`, async () => {
    const target = machine(of);
    await installPackages(packages, target);
    assert.deepEqual(target.done, expected);
  });
}

test("installPackages() leaves no service masked when apt fails", async () => {
  const target = machine({ aptFails: true });
  await assert.rejects(installPackages(["containerd"], target), { message: "no network" });
  assert.deepEqual(target.done, guarded("install containerd"));
});

test("finishInterruptedInstall() undoes a mask, and changes nothing else", async () => {
  const masked = machine({ isMasked: true });
  await finishInterruptedInstall(masked);
  assert.deepEqual(masked.done, ["unmask containerd.service", "disable containerd.service"]);
  const regular = machine({ hasService: true });
  await finishInterruptedInstall(regular);
  assert.deepEqual(regular.done, []);
});

test("aptInstall() that is interrupted lets apt-get finish", async () => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-packages-"));
  const at = (name: string): string => join(folder, name);
  const script = `#!/bin/sh
: >${at("begun")}
until [ -e ${at("go")} ]; do sleep 0.05; done
echo "$@"
: >${at("done")}
`;
  writeFileSync(at("apt-get"), script, { mode: 0o755 });
  const code = `import { aptInstall } from ${JSON.stringify(import.meta.resolve("./apt-install.ts"))};
await aptInstall(["x"]);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    env: { ...process.env, PATH: `${folder}:/usr/bin:/bin` },
    detached: true,
    stdio: "ignore",
  });
  const ended = once(child, "close");
  await until("apt-get to begin", async () => existsSync(at("begun")));
  process.kill(-(child.pid ?? 0), "SIGINT");
  assert.deepEqual(await ended, [null, "SIGINT"]);
  writeFileSync(at("go"), "");
  await until("apt-get to end", async () => existsSync(at("done")));
  rmSync(folder, { recursive: true });
});

test("aptInstall() that fails shows the last lines of apt-get", async () => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-packages-"));
  writeFileSync(join(folder, "apt-get"), "#!/bin/sh\necho no network >&2; exit 100\n", {
    mode: 0o755,
  });
  writeFileSync(join(folder, "dpkg"), "#!/bin/sh\n", { mode: 0o755 });
  const before = process.env["PATH"];
  process.env["PATH"] = folder;
  try {
    const message = "apt-get could not install x y:\nno network";
    await assert.rejects(aptInstall(["x", "y"]), { message });
  } finally {
    process.env["PATH"] = before;
    rmSync(folder, { recursive: true });
  }
});
