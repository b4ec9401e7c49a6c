"""What the two rivals have in common: the routes of a load test in FastAPI, as little
work around them as FastAPI allows, and arms from the body that the load test sends."""

from __future__ import annotations

import argparse
import io
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import orjson
import uvicorn
from fastapi import FastAPI, Request, Response

JSON = "application/json"
MOST_BODY = 1 << 31


class Bandit:
    """What an app does. Ids are the names of arms, as bytes."""

    def add_arms(self, names: np.ndarray, features: np.ndarray) -> None:
        raise NotImplementedError

    async def choose(self, learner: str) -> dict[str, Any]:
        raise NotImplementedError

    async def reward(self, decision: int, reward: float) -> None:
        raise NotImplementedError


def make_app(make_bandit: Callable[[int], Bandit]) -> FastAPI:
    app = FastAPI(openapi_url=None)
    bandits: dict[str, Bandit] = {}
    path = "/v1/bandits/{name}"

    def answer(status: int, value: Any) -> Response:
        return Response(orjson.dumps(value), status_code=status, media_type=JSON)

    async def put(request: Request) -> Response:
        settings = orjson.loads(await request.body())
        bandits[request.path_params["name"]] = make_bandit(settings["dim"])
        return answer(201, {})

    async def get(request: Request) -> Response:
        return answer(200 if request.path_params["name"] in bandits else 404, {})

    async def delete(request: Request) -> Response:
        bandits.pop(request.path_params["name"], None)
        return Response(status_code=204)

    async def arms(request: Request) -> Response:
        body = io.BytesIO(await request.body())
        names = np.load(body)
        bandits[request.path_params["name"]].add_arms(names, np.load(body))
        return answer(200, {"added": len(names)})

    async def choose(request: Request) -> Response:
        bandit = bandits[request.path_params["name"]]
        choice = orjson.loads(await request.body())
        return answer(200, await bandit.choose(choice["learner"]))

    async def reward(request: Request) -> Response:
        bandit = bandits[request.path_params["name"]]
        body = orjson.loads(await request.body())
        await bandit.reward(body["decision"], body["reward"])
        return answer(200, {"decision": body["decision"], "learned": True})

    # Routes of Starlette, without the validation that FastAPI adds: it is faster.
    routes: list[tuple[str, str, Callable[[Request], Awaitable[Response]]]] = [
        ("POST", f"{path}/choose", choose), ("POST", f"{path}/reward", reward),
        ("PUT", path, put), ("GET", path, get), ("DELETE", path, delete),
        ("POST", f"{path}/arms", arms)]
    for method, route, handler in routes:
        app.add_route(route, handler, methods=[method])
    return app


def run(app: FastAPI) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args().port
    # One process: the bandit is in its memory.
    uvicorn.run(app, host="127.0.0.1", port=port, loop="uvloop", http="httptools",
                access_log=False, log_level="warning")
