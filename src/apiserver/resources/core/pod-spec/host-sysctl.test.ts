import assert from "node:assert/strict";
import { test } from "node:test";
import { hostSysctlProblem } from "./host-sysctl.ts";

const network = "may not be specified when 'hostNetwork' is true";
const ipc = "may not be specified when 'hostIPC' is true";

const cases: readonly (readonly [name: string, problem: string | undefined])[] = [
  ["net.ipv4.ip_forward", network],
  ["net/ipv4/conf/eno2.100/rp_filter", network],
  ["network.x", undefined],
  ["kernel.shmmax", ipc],
  ["kernel.shm*", ipc],
  ["kernel/shmmax", ipc],
  ["fs.mqueue.msg_max", ipc],
  ["fs.file-max", undefined],
  ["kernel.domainname", undefined],
];

for (const [name, problem] of cases) {
  test(`hostSysctlProblem() checks ${name}`, () => {
    const spec = { containers: [], hostNetwork: true, hostIPC: true };
    assert.equal(hostSysctlProblem(name, spec), problem);
    assert.equal(hostSysctlProblem(name, { containers: [] }), undefined);
  });
}
