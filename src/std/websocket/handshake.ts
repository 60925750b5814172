/** RFC 6455, section 4. */
import { createHash } from "node:crypto";

/** RFC 6455, section 1.3. */
const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** The server's response to a client's key. */
export function acceptKey(key: string): string {
  return createHash("sha1")
    .update(key + acceptSuffix)
    .digest("base64");
}

/** The subprotocols that a client offers, in its order. */
export function offeredProtocols(header: string | undefined): string[] {
  return (header ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** The head of a server's accepting response. */
export function agreement(key: string, protocol = ""): string {
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${acceptKey(key)}`,
  ];
  if (protocol !== "") lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}
