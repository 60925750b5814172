import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstalledServer } from "./installed-servers.ts";
import { parseServerList } from "./listed-servers.ts";

/** As Linux 7.2 prints it. */
const text = `IP Virtual Server version 1.2.1 (size=256)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port Forward Weight ActiveConn InActConn
TCP  0A60000F:0050 mh  persistent 60000 FFFFFFFF
  -> 0AF40106:1F90      Masq    1      2          3         
  -> 0AF40207:1F90      Masq    0      0          0         
TCP  [fd00:0010:0096:0000:0000:0000:0000:001d]:0050 rr persistent 1080000 00000080
  -> [fd00:0010:0244:0001:0000:0000:0000:001c]:1F90      Masq    1      0          0         
UDP  0A60000E:0035 rr  
FWM  00000001 rr 
  -> 0AF40106:1F90      Masq    1      0          0         
`;

const known: InstalledServer = {
  protocol: "TCP",
  address: "10.96.0.15:80",
  scheduler: "mh",
  flag: "mh-port",
  persistenceSeconds: 600,
  realServers: new Map(),
};

test("parseServerList() takes what the list lacks from what is known", () => {
  const found = parseServerList(text, "IPv4", new Map([["TCP 10.96.0.15:80", known]]));
  assert.deepEqual(
    found,
    new Map<string, InstalledServer>([
      [
        "TCP 10.96.0.15:80",
        {
          ...known,
          realServers: new Map([
            ["10.244.1.6:8080", { weight: 1, connections: 5 }],
            ["10.244.2.7:8080", { weight: 0, connections: 0 }],
          ]),
        },
      ],
      [
        "UDP 10.96.0.14:53",
        {
          protocol: "UDP",
          address: "10.96.0.14:53",
          scheduler: "rr",
          flag: "",
          persistenceSeconds: 0,
          realServers: new Map(),
        },
      ],
    ]),
  );
});

test("parseServerList() reads IPv6; an affinity that was not known is no known one", () => {
  const found = parseServerList(text, "IPv6", new Map());
  const key = "TCP [fd00:10:96::1d]:80";
  assert.deepEqual([...found.keys()], [key]);
  assert.equal(found.get(key)?.persistenceSeconds, -1);
  assert.deepEqual([...(found.get(key)?.realServers.keys() ?? [])], ["[fd00:10:244:1::1c]:8080"]);
});
