import { customMediaTypes } from "#/machinery/codec/media-type.ts";
import { type Offer, plainOffer } from "#/machinery/codec/negotiate.ts";
import { answerZPage, flagzPage, statuszPage, type ZPage } from "#/machinery/component/z-pages.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Paths } from "../http/paths.ts";
import { statusReply } from "../http/status-reply.ts";
import { bytesReply, header } from "../model/exchange.ts";

/** The identity of this server. */
const component = "apiserver";

interface ZPageOptions {
  readonly enabled: (feature: string) => boolean;
  /** The values of all flags. */
  readonly flags: Readonly<Record<string, string>>;
  /** Version of Kubernetes, without the v. */
  readonly version: string;
  readonly clock: Clock;
}

/** Serves /statusz and /flagz. Upstream: staging/src/k8s.io/apiserver/pkg/server/genericapiserver.go. */
export function addZPages(paths: Paths, { enabled, flags, version, clock }: ZPageOptions): void {
  const startedMs = clock.now() - process.uptime() * 1000;
  const now = () => clock.now();
  const pages = [
    ...(enabled("ComponentFlagz") ? [flagzPage(component, flags)] : []),
    ...(enabled("ComponentStatusz")
      ? [statuszPage({ component, version, startedMs, now, paths: () => paths.list() })]
      : []),
  ];
  for (const page of pages) addZPage(paths, page);
}

function addZPage(paths: Paths, page: ZPage): void {
  paths.add(`/${page.name}`, async (exchange) => {
    try {
      const { contentType, body, warning } = answerZPage(page, {
        accept: header(exchange, "accept"),
        query: exchange.query,
        userAgent: header(exchange, "user-agent"),
      });
      return bytesReply(200, contentType, Buffer.from(body), warning ? { warning } : {});
    } catch (error) {
      if (error instanceof StatusError) return statusReply(error.status, exchange, errorOffer);
      throw error;
    }
  });
}

/** Pages have no protobuf form, and neither have their errors. */
const errorOffer: Offer = { ...plainOffer, mediaTypes: customMediaTypes };
