import type { Upstream } from "#/dns/corefile/dns-config.ts";
import { Exchanger } from "#/dns/forward/exchange.ts";
import type { Clock } from "#/std/time/clock.ts";

/** Sends a question to a DNS server: by UDP, and by TCP if the answer is too long for that. */
export async function exchange(
  server: Upstream,
  message: Buffer,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<Buffer> {
  using exchanger = new Exchanger(clock);
  return await exchanger.ask(server, message, { timeoutMs, transport: "udp" });
}
