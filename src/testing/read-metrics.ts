import { request } from "node:https";

/**
 * The metrics of a component on this machine that serves them without a token; "" while it does not
 * serve yet.
 */
export function readMetrics(port: number): Promise<string> {
  return new Promise((resolve) => {
    const options = { port, host: "127.0.0.1", path: "/metrics", rejectUnauthorized: false };
    const sent = request({ ...options, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.once("end", () => resolve(response.statusCode === 200 ? text : ""));
    });
    sent.once("error", () => resolve(""));
    sent.end();
  });
}
