import { parseIp } from "#/std/net/ip.ts";
import type { NetworkNamespace } from "#/testing/network-namespace.ts";

/** Frames that a Pod with NET_RAW can send; all values are texts of hexadecimal digits. */
const hex = (value: number, bytes: number): string => value.toString(16).padStart(2 * bytes, "0");
const macHex = (mac: string): string => mac.replaceAll(":", "");
const ipHex = (ip: string): string => {
  const digits = (parseIp(ip)?.value ?? 0n).toString(16);
  return digits.padStart(ip.includes(":") ? 32 : 8, "0");
};

/** The Internet checksum of some words. */
function checksum(text: string): string {
  let sum = 0;
  for (const [word] of text.matchAll(/.{1,4}/g)) sum += Number.parseInt(word.padEnd(4, "0"), 16);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return hex(~sum & 0xffff, 2);
}

const broadcast = "ffffffffffff";

interface Claim {
  /** Hardware address in the frame's header. */
  readonly from: string;
  readonly mac: string;
  readonly ip: string;
}

/** An ARP response to everyone; `tag` puts a VLAN's header before it. */
export function arpFrame({ from, mac, ip }: Claim, tag = ""): string {
  const body = `0001080006040002${macHex(mac)}${ipHex(ip)}${broadcast}${ipHex(ip)}`;
  return `${broadcast}${macHex(from)}${tag}0806${body}`;
}

/** The header of a VLAN without a number; receivers ignore it. */
export const emptyTag = "81000000";

/** A datagram with this text. */
export function udpFrame(
  claim: { from: string; to: string; source: string; target: string; port: number },
  text: string,
): string {
  const { from, to, source, target, port } = claim;
  const payload = Buffer.from(text).toString("hex");
  const udp = `1f90${hex(port, 2)}${hex(8 + text.length, 2)}0000${payload}`;
  const begin = `4500${hex(28 + text.length, 2)}000000004011`;
  const addresses = `${ipHex(source)}${ipHex(target)}`;
  const header = `${begin}${checksum(`${begin}0000${addresses}`)}${addresses}`;
  return `${macHex(to)}${macHex(from)}0800${header}${udp}`;
}

const allNodes = "ff02::1";

function icmp6Frame(from: string, source: string, body: string): string {
  const pseudo = `${ipHex(source)}${ipHex(allNodes)}${hex(body.length / 2, 4)}0000003a`;
  const sum = checksum(`${pseudo}${body}`);
  const message = `${body.slice(0, 4)}${sum}${body.slice(8)}`;
  const header = `60000000${hex(body.length / 2, 2)}3aff${ipHex(source)}${ipHex(allNodes)}`;
  return `333300000001${macHex(from)}86dd${header}${message}`;
}

/** A neighbour advertisement to everyone that replaces what they know. */
export const neighbourFrame = ({ from, mac, ip }: Claim, source: string): string =>
  icmp6Frame(from, source, `8800000020000000${ipHex(ip)}0201${macHex(mac)}`);

/** A router advertisement: the sender is everyone's router. */
export const routerFrame = (from: string, source: string): string =>
  icmp6Frame(from, source, `860000004000070800000000000000000101${macHex(from)}`);

/** Sends frames from the link eth0. perl is part of every Debian, and Node has no such sockets. */
export async function sendFrames(pod: NetworkNamespace, frames: readonly string[]): Promise<void> {
  const index = /^(\d+): eth0/m.exec(await pod.sh("ip -o link show dev eth0"))?.[1];
  const script = `socket(my $s, 17, 3, 0x0300) or die "socket: $!";
    my $to = pack("S n i S C C a8", 17, 3, ${index}, 0, 0, 6, "");
    for (@ARGV) { defined(send($s, pack("H*", $_), 0, $to)) or die "send: $!" }`;
  await pod.run("perl", ["-e", script, ...frames]);
}
