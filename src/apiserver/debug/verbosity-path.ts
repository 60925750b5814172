import { parseGoUint } from "#/std/go/strconv.ts";
import { configureLogging } from "#/std/log/log.ts";
import type { Paths } from "../http/paths.ts";
import { bytesReply, type Exchange, type Reply } from "../model/exchange.ts";

const root = "/debug/flags";

/** Limit of the body (bytes): longer than any number. */
const maxBodyBytes = 64;

/**
 * Sets --v by a PUT of a number to /debug/flags/v.
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/routes/flags.go.
 */
export function addVerbosity(paths: Paths): void {
  const index = async () => bytesReply(200, "text/html; charset=utf-8", Buffer.from(indexText));
  paths.addUnlisted(root, index);
  paths.addPrefix(`${root}/`, index);
  paths.addUnlisted(`${root}/v`, setVerbosity);
}

async function setVerbosity(exchange: Exchange): Promise<Reply> {
  if (exchange.method !== "PUT") return answer(406, "unsupported http method");
  const text = Buffer.from(await exchange.readBody(maxBodyBytes)).toString();
  try {
    configureLogging({ verbosity: parseGoUint(text, 32) });
  } catch (error) {
    return answer(400, error instanceof Error ? error.message : String(error));
  }
  return answer(200, `successfully set klog.logging.verbosity to ${text}`);
}

function answer(status: number, text: string): Reply {
  return bytesReply(status, "text/plain", Buffer.from(`${text}\n`), {
    "x-content-type-options": "nosniff",
  });
}

const indexText = `<html>
<head>
<title>${root}/</title>
</head>
<body>
${root}/<br>
<br>
flags:<br>
<table>
<tr>v<br>
</table>
<br>
full flags configurable<br>
</body>
</html>
`;
