# Signalbox for production: `docker build -t signalbox .` (podman and buildah read this file, too).
# docs/production.md says how to run it, and compose.yaml runs it with PostgreSQL.

FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The image has its own Node, so the copy of Node that the package carries for other machines is dropped.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/node-linux-* node_modules/node-bin-* node_modules/.bin/node
COPY tsconfig.json ./
COPY bin bin
COPY src src
COPY sandboxes sandboxes
COPY docs docs
RUN node src/cli/signalbox.ts build

FROM node:26-slim
# pg_dump and psql, for `signalbox backup` and `restore` of a region on PostgreSQL. They must not be older than the server.
ARG PACKAGES=postgresql-client
RUN if [ -n "$PACKAGES" ]; then apt-get update && apt-get install -y --no-install-recommends $PACKAGES \
 && rm -rf /var/lib/apt/lists/*; fi
WORKDIR /app
COPY --from=build /app /app
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/tmp/compile-cache \
    MALLOC_MMAP_THRESHOLD_=131072 \
    SIGNALBOX_HOST=0.0.0.0 \
    SIGNALBOX_PORT=4100 \
    SIGNALBOX_HOME=/data
RUN mkdir /data && chown node:node /data && chmod 700 /data \
 && printf '#!/bin/sh\nexec node --max-semi-space-size=8 /app/src/cli/signalbox.ts "$@"\n' > /usr/local/bin/signalbox && chmod 755 /usr/local/bin/signalbox
USER node
VOLUME /data
EXPOSE 4100 4101 4102
# Ready: the store responds and accepts writes. The port is that of the first region that this container serves.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "/app/deploy/healthcheck.js"]
COPY deploy/healthcheck.js /app/deploy/healthcheck.js
ENTRYPOINT ["signalbox"]
CMD ["serve"]
