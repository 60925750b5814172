import { oneLine } from "../../base/text.ts";
import type { View } from "../../base/view.ts";
import { connectionFailure } from "../connection-failure.ts";
import { serviceProblem } from "./service-problem.ts";

/** A webhook that the API server could not call. */
interface WebhookProblem {
  readonly name: string;
  readonly why: string;
}

const pattern = /failed (?:to call|calling) webhook "([^"]+)": (?:failed to call webhook: )?(.*)$/s;

/** What the API server says of a call that has failed; undefined if the text is about something else. */
export function webhookProblem(message: string, view: View): WebhookProblem | undefined {
  const [, name, text = ""] = pattern.exec(message) ?? [];
  if (name === undefined) return undefined;
  const absent = /service "([^"]+)" not found/.exec(text)?.[1];
  const idle = /no endpoints available for service "([^"]+)"/.exec(text)?.[1];
  const [, port, portless] = /no service port (\d+) found for service "([^"]+)"/.exec(text) ?? [];
  const [, service = "", namespace] = /"https:\/\/([^./"]+)\.([^./"]+)\.svc[:/]/.exec(text) ?? [];
  const state =
    namespace === undefined ? undefined : serviceProblem({ name: service, namespace }, view);
  if (absent) return { name, why: `its Service "${absent}" does not exist` };
  if (idle) return { name, why: `its Service "${idle}" has no ready endpoint` };
  if (port) return { name, why: `its Service "${portless}" has no port ${port}` };
  if (state) return { name, why: `its Service "${service}" ${state}` };
  return { name, why: connectionFailure(withoutQuery(text)) ?? oneLine(text, 160) };
}

/** Without the query of the URL, which has a timeout in any case. */
const withoutQuery = (text: string): string => text.replace(/\?timeout=\w+/g, "");
