# One server of Raterscope. What it keeps lies in /data; nothing else is written to, so that the rest may be read-only.
FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin raterscope \
    && install -d -o raterscope -g raterscope -m 0700 /data

WORKDIR /app
COPY requirements.txt requirements-hosting.txt ./
RUN pip install -r requirements.txt -r requirements-hosting.txt

COPY app.py LICENSE ./
COPY .streamlit/config.toml .streamlit/config.toml
# Where a log-in is set up its secrets are mounted at /app/log-in; a link to nothing is no log-in.
RUN ln -s ../log-in/secrets.toml .streamlit/secrets.toml
COPY analysis analysis
COPY data data
COPY features features
COPY pages pages
COPY report report
COPY server server
COPY ui ui

ENV RATERSCOPE_DATABASE=/data/raterscope.duckdb \
    RATERSCOPE_SPOOL=/data/spool
VOLUME /data
USER 10001:10001
EXPOSE 8501

# The same address a proxy asks: it also says when the store cannot be written.
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=8)"]

# uvicorn rather than `streamlit run`: it gives visitors 20 s to finish when it is stopped, and no longer. No access
# log, because addresses hold keys. X-Forwarded-Proto counts only from FORWARDED_ALLOW_IPS, by default this container.
CMD ["uvicorn", "app:app", "--host", "0.0.0.0", "--port", "8501", "--no-access-log", "--no-server-header", \
     "--ws", "websockets-sansio", "--ws-ping-interval", "30", "--ws-ping-timeout", "30", \
     "--timeout-graceful-shutdown", "20"]
