"""The ASGI application: routes and their handlers. For access control see `longfat.web.guard`."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from longfat.base.errors import LongfatError
from longfat.plots.options import ROLES
from longfat.web import results
from longfat.web.desk import Crowded, Desk, Superseded
from longfat.web.errand import Work
from longfat.web.exercises import answer_document, exercise_document
from longfat.web.figures import figure
from longfat.web.guard import Guard, Hosts, TooLarge, too_large
from longfat.web.outcome import outcome
from longfat.web.pages import Pages, content_policy
from longfat.web.playground import play, playground
from longfat.web.repeated import repeated
from longfat.web.settings import SCENARIO_FILE, Settings, scenario_of
from longfat.web.view import Unknown, View

_PAGES = ("/", "/study/{name}", "/run/{run}", "/play", "/exercise/{number:int}")


class Malformed(Exception):
    """A malformed request, independent of its scenario."""


class Application:
    """Handlers of all requests from the pages of a view."""

    def __init__(self, view: View, at_a_time: int) -> None:
        self._view = view
        self._desk = Desk(at_a_time, view.limits, view.studies_with_controls)
        self._pages = Pages()

    def routes(self) -> list[BaseRoute]:
        """Return the routes and their handlers."""
        shell = self._pages.shell
        return [
            *(Route(path, shell) for path in _PAGES),
            Route("/static/{name}", self._pages.static),
            Route("/vendor/{name}", self._pages.vendor),
            Route("/api/studies", self._studies),
            Route("/api/studies/{name}", self._study),
            Route("/api/studies/{name}/combinations/{number:int}", self._combination),
            Route("/api/studies/{name}/figures/{kind}", self._figure),
            Route("/api/studies/{name}/outcome", self._outcome),
            Route("/api/studies/{name}/state", self._state),
            Route("/api/runs/{run}", self._run),
            Route("/api/runs/{run}/charts", self._run_charts, methods=["POST"]),
            Route("/api/exercises/{number:int}", self._exercise),
            Route("/api/exercises/{number:int}/answer", self._exercise_answer),
            Route("/api/play", self._playground),
            Route("/api/play", self._play, methods=["POST"]),
            Route("/play/scenario.toml", self._scenario),
        ]

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Cancel all errands when the server ends."""
        yield
        self._desk.close()

    async def _studies(self, _request: Request) -> Response:
        return await _answer(results.overview, self._view)

    async def _study(self, request: Request) -> Response:
        return await _answer(results.study_results, self._view, request.path_params["name"])

    async def _combination(self, request: Request) -> Response:
        name, number = request.path_params["name"], request.path_params["number"]
        return await _answer(results.combination_runs, self._view, name, number)

    async def _outcome(self, request: Request) -> Response:
        return await _answer(outcome, self._view, request.path_params["name"])

    async def _figure(self, request: Request) -> Response:
        name, kind = request.path_params["name"], request.path_params["kind"]
        table = request.query_params.get("table", "")
        said = ((role, request.query_params.get(role)) for role in ROLES)
        roles = {role: factor for role, factor in said if factor}
        return await _answer(figure, self._view, name, kind, table, roles)

    async def _run(self, request: Request) -> Response:
        return await _answer(results.run_document, self._view, request.path_params["run"])

    async def _playground(self, _request: Request) -> Response:
        return await _answer(playground)

    async def _exercise(self, request: Request) -> Response:
        return await _answer(exercise_document, request.path_params["number"])

    async def _exercise_answer(self, request: Request) -> Response:
        return await _answer(answer_document, request.path_params["number"])

    async def _state(self, request: Request) -> Response:
        return await _answer(results.state, self._view, request.path_params["name"])

    async def _play(self, request: Request) -> Response:
        document = await _document(request)
        settings = _settings(document.get("settings"))
        return await self._simulated(request, document, partial(play, settings, self._view.limits))

    async def _run_charts(self, request: Request) -> Response:
        document, run = await _document(request), request.path_params["run"]
        work = partial(repeated, self._view.location, run, self._view.limits)
        return await self._simulated(request, document, work)

    async def _simulated(
        self, request: Request, document: Mapping[str, Any], work: Work
    ) -> Response:
        page = document.get("page")
        if not isinstance(page, str) or not 0 < len(page) <= 64:
            raise Malformed("page: expected a text of at most 64 characters that names the page")
        answer = await self._desk.carry_out(page, work, request.is_disconnected)
        return JSONResponse(answer)

    async def _scenario(self, request: Request) -> Response:
        settings = _settings(dict(request.query_params))
        _, text = await anyio.to_thread.run_sync(scenario_of, settings)
        disposition = f'attachment; filename="{SCENARIO_FILE}"'
        headers = {"Content-Disposition": disposition}
        return PlainTextResponse(text, headers=headers, media_type="application/toml")


def create_app(view: View, hosts: Hosts, at_a_time: int = 2) -> Guard:
    """Create the application of a view that is asked for by these names.

    `at_a_time` is the number of runs simulated at a time.
    """
    application = Application(view, at_a_time)
    inner = Starlette(
        routes=application.routes(),
        lifespan=application.lifespan,
        exception_handlers={
            LongfatError: _wrong,
            Unknown: _refused(404),
            Malformed: _refused(400),
            TooLarge: _too_large,
            Superseded: _refused(409, "the page has asked for another run"),
            Crowded: _refused(503, "too many requests at a time; try again in a moment"),
        },
    )
    return Guard(inner, view.token, hosts, content_policy())


async def _answer(work: Callable[..., Any], *arguments: Any) -> Response:
    return JSONResponse(await anyio.to_thread.run_sync(work, *arguments))


async def _document(request: Request) -> Mapping[str, Any]:
    """Return the JSON object in a request's body. Raises `Malformed` for anything else."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Malformed("expected Content-Type: application/json")
    try:
        document = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise Malformed("expected a JSON object") from error
    if not isinstance(document, dict):
        raise Malformed("expected a JSON object")
    return document


def _settings(given: Any) -> Settings:
    if not isinstance(given, dict) or not all(isinstance(text, str) for text in given.values()):
        raise Malformed('settings: expected texts by path, as {"topology.sources": "5"}')
    try:
        "".join([*given, *given.values()]).encode()
    except UnicodeEncodeError as error:
        raise Malformed("settings: not all of it is text") from error
    return given


async def _wrong(_request: Request, error: Exception) -> Response:
    problems = getattr(error, "problems", None) or str(error).splitlines()
    return JSONResponse({"problems": problems}, 422)


def _refused(status: int, message: str = "") -> Callable[[Request, Exception], Awaitable[Response]]:
    async def refuse(_request: Request, error: Exception) -> Response:
        return JSONResponse({"problems": [message or str(error)]}, status)

    return refuse


async def _too_large(_request: Request, _error: Exception) -> Response:
    return too_large()
