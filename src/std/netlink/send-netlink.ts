import type { RunProgram } from "../process/run-program.ts";

/** The netlink protocol of packet filters and connection tracking. */
export const netfilterProtocol = 12;

/**
 * Passes messages, each a line of hexadecimal digits, to a netlink socket, and prints the
 * answer to each. Node has no such sockets; Debian and Ubuntu always have perl.
 */
const relay = `
socket(my $kernel, 16, 3, $ARGV[0]) or die "socket: $!\\n";
my $address = pack("SSLL", 16, 0, 0, 0);
while (my $line = <STDIN>) {
  chomp($line);
  defined(send($kernel, pack("H*", $line), 0, $address)) or die "send: $!\\n";
  defined(recv($kernel, my $answer, 65536, 0)) or die "recv: $!\\n";
  print(unpack("H*", $answer), "\\n");
}
`;

/**
 * Sends requests to the kernel, all with one process, and returns the answer to each: every request
 * must have exactly one. Throws ProgramError if there is no perl.
 */
export async function sendNetlink(
  run: RunProgram,
  protocol: number,
  messages: readonly Buffer[],
): Promise<Buffer[]> {
  if (messages.length === 0) return [];
  const input = messages.map((message) => `${message.toString("hex")}\n`).join("");
  const output = await run("perl", ["-e", relay, String(protocol)], input);
  return output
    .trimEnd()
    .split("\n")
    .map((line) => Buffer.from(line, "hex"));
}
