import type { IncomingMessage } from "node:http";
import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { answerZPage, flagzPage, statuszPage, type ZPage } from "#/machinery/component/z-pages.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import type { Clock } from "#/std/time/clock.ts";

/** The content of a component's pages. */
interface ComponentPagesOptions {
  /** The component's name. */
  readonly name: string;
  /** The values of all flags. */
  readonly flagTexts: Readonly<Record<string, string>>;
  /** All other paths that it serves. */
  readonly paths: readonly string[];
  readonly clock: Clock;
}

interface PageReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The pages /statusz and /flagz of a component other than the API server; undefined for other
 * paths.
 */
export class ComponentPages {
  readonly #pages: ReadonlyMap<string, ZPage>;

  constructor({ name, flagTexts, paths, clock }: ComponentPagesOptions) {
    const all = [...paths, "/flagz"];
    const status = statuszPage({
      component: name,
      version: kubernetesVersion.slice(1),
      startedMs: clock.now() - process.uptime() * 1000,
      now: () => clock.now(),
      paths: () => all,
    });
    const pages = [flagzPage(name, flagTexts), status];
    this.#pages = new Map(pages.map((page) => [`/${page.name}`, page]));
  }

  answer(url: URL, { headers }: IncomingMessage): PageReply | undefined {
    const page = this.#pages.get(url.pathname);
    if (!page) return undefined;
    try {
      const { contentType, warning, body } = answerZPage(page, {
        accept: headers.accept,
        query: url.searchParams,
        userAgent: headers["user-agent"],
      });
      const warnings = warning ? { warning } : {};
      return { status: 200, headers: { "content-type": contentType, ...warnings }, body };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { status } = error;
      const body = `${JSON.stringify(status, null, 2)}\n`;
      return {
        status: status.code ?? 500,
        headers: { "content-type": "application/json" },
        body,
      };
    }
  }
}
