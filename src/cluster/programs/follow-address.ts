import { aborted } from "#/std/async/aborted.ts";
import { logger } from "#/std/log/log.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { familiesOf } from "../base/address-families.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, nodeIps, saveSettings, withNodeIp } from "../base/settings.ts";
import {
  findAddress,
  hasAddress,
  missingAddressText,
  waitForAddress,
} from "../machine/node-address.ts";

const log = logger("cluster");
const intervalMs = 2_000;

/** The settings with the machine's current address, once it has one. The program that owns the settings writes them. */
export async function settleAddress(
  paths: ClusterPaths,
  settings: ClusterSettings,
  program: "server" | "agent",
  signal: AbortSignal,
): Promise<ClusterSettings> {
  const { nodeIp, otherNodeIp, isNodeIpFixed, podCidr, role, networkNamespace } = settings;
  if (isNodeIpFixed) {
    if (!networkNamespace && !hasAddress(nodeIp)) log.warning(missingAddressText(nodeIp));
    return settings;
  }
  const [family = 4, second] = familiesOf(podCidr);
  const address = await waitForAddress({ podCidr, family, previous: nodeIp }, signal);
  const found = second && (await findAddress({ podCidr, family: second, previous: otherNodeIp }));
  if (address === nodeIp && found?.address === otherNodeIp) return settings;
  log.info("found another address of the machine", { address, before: nodeIp });
  const settled = { ...withNodeIp(settings, address), otherNodeIp: found?.address };
  if (role === program) await saveSettings(paths, settled);
  return settled;
}

/** The address functions of the machine; replaced in tests. */
interface AddressFunctions {
  readonly clock: Clock;
  readonly has: typeof hasAddress;
  readonly find: typeof findAddress;
  /** Ends this process gracefully; its supervisor starts it again. */
  restart(): void;
}

const machine: AddressFunctions = {
  clock: systemClock,
  has: hasAddress,
  find: findAddress,
  restart: () => void process.kill(process.pid, "SIGTERM"),
};

/**
 * Checks the node's address until the signal aborts. It is unchanged as long as some interface has it; without any
 * address, it waits. If two consecutive checks find the same other address, the program restarts with that.
 */
export async function followAddress(
  settings: ClusterSettings,
  signal: AbortSignal,
  { clock, has, find, restart }: AddressFunctions = machine,
): Promise<void> {
  const { nodeIp, isNodeIpFixed, podCidr } = settings;
  const [family = 4] = familiesOf(podCidr);
  let last: string | undefined;
  for (;;) {
    await clock.sleep(intervalMs, signal);
    if (isNodeIpFixed || nodeIps(settings).every(has)) {
      last = undefined;
      continue;
    }
    const found = await find({ podCidr, family });
    if (found && found.address === last) {
      log.info("restarting, as the machine has another address", {
        address: found.address,
        before: nodeIp,
      });
      restart();
      return await aborted(signal);
    }
    last = found?.address;
  }
}
