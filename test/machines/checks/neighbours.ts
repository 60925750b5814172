import assert from "node:assert/strict";
import type { Checks } from "../check.ts";
import { apply, k8ts, kubectl, pod, remove, trafficWorks, until, waitFor } from "../cluster.ts";

/** Other services of the machine. */
export const neighbourChecks: Checks = [
  {
    name: "NetworkManager beside it",
    async run(machine) {
      await machine.run("systemctl start NetworkManager");
      try {
        await trafficWorks(machine);
        const devices = await machine.run("nmcli -t -f DEVICE,STATE device");
        await machine.run("systemctl restart NetworkManager");
        await trafficWorks(machine);
        return devices.includes("k8ts") ? undefined : "no link of ours is managed";
      } finally {
        await machine.try("systemctl stop NetworkManager");
      }
    },
  },
  {
    name: "systemd-networkd restarts",
    async run(machine) {
      await machine.run("systemctl restart systemd-networkd");
      const seconds = await trafficWorks(machine);
      return `all ways work after ${seconds} s`;
    },
  },
  {
    name: "systemd-resolved: Pods with dnsPolicy Default get real name servers",
    async run(machine) {
      await machine.run(
        "cp -a /etc/resolv.conf /root/resolv.conf && systemctl start systemd-resolved && ln -sf ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf && resolvectl dns $(ip -4 route show default | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p' | head -n 1 | grep . || ip -4 -o link | sed -n '2s/^[0-9]*: \\([^:]*\\).*/\\1/p') 192.0.2.53",
      );
      try {
        await machine.run(`${k8ts} down && ${k8ts} up`, { timeoutMs: 600_000 });
        await apply(machine, pod("default-dns", { spec: { dnsPolicy: "Default" } }));
        await waitFor(machine, "condition=Ready", "pod/default-dns");
        const file = await kubectl(machine, "exec default-dns -- cat /etc/resolv.conf");
        assert.match(file, /nameserver 192\.0\.2\.53/);
        assert.doesNotMatch(file, /127\.0\.0\.53/);
        await trafficWorks(machine);
      } finally {
        await machine.try(
          "systemctl stop systemd-resolved; rm /etc/resolv.conf; mv /root/resolv.conf /etc/resolv.conf",
        );
        await machine.run(`${k8ts} down && ${k8ts} up`, { timeoutMs: 600_000 });
        await remove(machine, "pod/default-dns");
        await trafficWorks(machine);
      }
      return undefined;
    },
  },
  {
    name: "swap is on: the node works, containers get none",
    async run(machine) {
      await machine.run(
        "fallocate -l 256M /swapfile && chmod 600 /swapfile && mkswap -q /swapfile && swapon /swapfile",
      );
      try {
        await machine.run("systemctl restart k8ts-agent");
        await waitFor(machine, "condition=Ready", "nodes --all");
        const resources = { limits: { memory: "64Mi" } };
        await apply(machine, pod("swapless", { resources }));
        await waitFor(machine, "condition=Ready", "pod/swapless");
        const swap =
          "cat $(find /sys/fs/cgroup -path '*kubepods*' -name memory.swap.max -path '*scope*') | sort -u";
        assert.match(await machine.run(swap), /^0$/m);
        await remove(machine, "pod/swapless");
      } finally {
        await machine.try("swapoff /swapfile; rm -f /swapfile");
      }
      return undefined;
    },
  },
  {
    name: "systemd-oomd beside it",
    async run(machine) {
      const { code } = await machine.try("systemctl start systemd-oomd");
      if (code !== 0) return "systemd-oomd does not start on this kernel";
      await trafficWorks(machine);
      await machine.run("systemctl stop systemd-oomd.socket systemd-oomd");
      return undefined;
    },
  },
  {
    name: "daemon-reload and daemon-reexec of systemd",
    async run(machine) {
      await machine.run("systemctl daemon-reload && systemctl daemon-reexec");
      await until(
        "systemd",
        async () => (await machine.try("systemctl is-active k8ts-agent")).code === 0,
      );
      await trafficWorks(machine);
      return undefined;
    },
  },
];
