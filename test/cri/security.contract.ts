import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { test } from "node:test";
import type { SecurityProfile } from "#/kubelet/cri/sandbox-messages.ts";
import { polite } from "./node.ts";
import type { Suite } from "./runtime.contract.ts";

/** Seccomp, AppArmor and volumes of images. */
export function securityTests({ node, expect }: Suite): void {
  const profiles: readonly (readonly [profile: SecurityProfile, mode: string])[] = [
    [{ profileType: "RuntimeDefault" }, "2"],
    [{ profileType: "Unconfined" }, "0"],
  ];
  for (const [seccomp, mode] of profiles) {
    test(`a container with the seccomp profile ${seccomp.profileType} is filtered: ${mode}`, async () => {
      const name = `seccomp-${mode}`;
      const { id } = await node().run(name, polite(), { linux: { securityContext: { seccomp } } });
      const status = await node().exec(id, "cat /proc/self/status");
      const found = /^Seccomp:\s*(\d)$/m.exec(status)?.[1];
      if (mode === "0") assert.equal(found, mode);
      else await expect("seccomp", async () => assert.equal(found, mode));
    });
  }

  test("a seccomp profile that is not there is an error", async () => {
    const seccomp = { profileType: "Localhost" as const, localhostRef: "/none.json" };
    const linux = { securityContext: { seccomp } };
    await expect("seccomp", async () => {
      await assert.rejects(node().run("seccomp-none", polite(), { linux }), /none\.json/);
    });
  });

  test("an AppArmor profile that is not loaded is an error", async () => {
    const apparmor = { profileType: "Localhost" as const, localhostRef: "k8ts-none" };
    const linux = { securityContext: { apparmor, apparmorProfile: "localhost/k8ts-none" } };
    await expect("AppArmor", async () => {
      await assert.rejects(node().run("apparmor-none", polite(), { linux }), /apparmor/i);
    });
  });

  test("a volume of an image has the files of the image", async () => {
    const mounts = [
      {
        containerPath: "/volume",
        readonly: true,
        image: { image: node().image, userSpecifiedImage: node().image },
        hostPath: "",
      },
    ];
    await expect("image volumes", async () => {
      const { id } = await node().run("image-volume", polite(), { mounts });
      assert.equal(await node().exec(id, "test -e /volume/bin/busybox && echo yes"), "yes\n");
    });
  });

  test("a mount of a folder is read-only if it has to be", async () => {
    const hostPath = `${node().runtime.directory}/data`;
    await mkdir(hostPath);
    const mounts = [{ containerPath: "/data", hostPath, readonly: true }];
    const { id } = await node().run("mounted", polite(), { mounts });
    const written = await node().exec(id, "echo > /data/x 2>/dev/null || echo refused");
    assert.equal(written, "refused\n");
    assert.ok(!existsSync(`${hostPath}/x`));
  });
}
