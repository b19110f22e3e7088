"""Places of a labgrid coordinator: which there are, taking one, giving it back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

import grpc
from labgrid.remote.client import Error, start_session
from labgrid.remote.common import Reservation, ReservationState
from labgrid.remote.generated import labgrid_coordinator_pb2 as messages

_T = TypeVar("_T")
_PAUSE_SECONDS = 0.5
_OWN_SECONDS = 5.0  # an earlier process of this user may be about to give the place back


class Refused(Exception):
    """``what`` is one line, ``why`` more of them. ``held``: it works once another lets go."""

    def __init__(self, what: str, *, why: tuple[str, ...] = (), held: str = ""):
        super().__init__(what)
        self.what, self.why, self.held = what, why, held


class Coordinator:
    """A connection. ``me``: how labgrid calls this user, HOST/USER."""

    def __init__(self, address: str):
        try:
            self.session = start_session(address)
        except (Error, OSError) as error:
            what = f"labgrid's coordinator does not answer at {address}"
            raise Refused(what, why=(str(error),)) from None
        self.me = f"{self.session.gethostname()}/{self.session.getuser()}"

    def places(self) -> list[dict[str, Any]]:
        """Of each: "name", "tags", "exporters", "resources" by class, "missing", a resource that
        no exporter has, "acquired", by whom, and "reserved", for whom."""
        owners = {each.token: each.owner for each in self._reservations()}
        return [self._described(place, owners) for place in self.session.places.values()]

    def acquire(self, name: str, wait: float) -> None:
        """Raises Refused, after ``wait`` seconds where another has it."""
        begin = time.monotonic()
        while True:
            try:
                return self._acquire(name)
            except Refused as refused:
                patience = max(wait, _OWN_SECONDS if refused.held == self.me else 0.0)
                if not refused.held or time.monotonic() - begin > patience:
                    raise
            self.rest(_PAUSE_SECONDS)

    def reserve(self, tags: Mapping[str, str], wait: float) -> tuple[str, str]:
        """A token, and the place with ``tags`` that it is for. Raises Refused as ``acquire``."""
        filters = {"main": messages.Reservation.Filter(filter=tags)}
        request = messages.CreateReservationRequest(filters=filters, prio=0.0)
        made = Reservation.from_pb2(
            self._do(self.session.stub.CreateReservation(request)).reservation
        )
        try:
            return made.token, self._allocated(made, tags, time.monotonic() + wait)
        except BaseException:
            self.cancel(made.token)
            raise

    def release(self, name: str) -> None:
        """What another has by now stays theirs."""
        request = messages.ReleasePlaceRequest(placename=name, fromuser=self.me)
        self._do(self.session.stub.ReleasePlace(request))

    def cancel(self, token: str) -> None:
        self._do(
            self.session.stub.CancelReservation(messages.CancelReservationRequest(token=token))
        )

    def rest(self, seconds: float) -> None:
        """Hears what the coordinator tells meanwhile."""
        self.session.loop.run_until_complete(asyncio.sleep(seconds))

    def close(self) -> None:
        self.session.loop.run_until_complete(self.session.stop())
        self.session.loop.run_until_complete(self.session.close())

    def _acquire(self, name: str) -> None:
        place = self.session.places.get(name)
        if place is None:
            known = ", ".join(self.session.places) or "none"
            raise Refused(f"labgrid has no place {name!r}", why=(f"places: {known}",))
        if place.acquired:
            raise Refused(f"place {name} is held by {place.acquired}", held=place.acquired)
        found = self._described(place, {each.token: each.owner for each in self._reservations()})
        if found["reserved"] not in ("", self.me):
            what = f"place {name} is reserved for {found['reserved']}"
            raise Refused(what, held=found["reserved"])
        if found["missing"]:
            why = ("is the exporter running, and connected to this coordinator?",)
            raise Refused(f"place {name} lacks {found['missing']}", why=why)
        self._do(self.session.stub.AcquirePlace(messages.AcquirePlaceRequest(placename=name)))
        self._do(self.session.sync_with_coordinator())

    def _allocated(self, made: Any, tags: Mapping[str, str], until: float) -> str:
        request = messages.PollReservationRequest(token=made.token)
        while made.state is ReservationState.waiting:
            if time.monotonic() >= until:
                raise self._none_free(tags)
            self.rest(_PAUSE_SECONDS)
            answer = self._do(self.session.stub.PollReservation(request))
            made = Reservation.from_pb2(answer.reservation)
        if not made.allocations:
            raise Refused(f"the reservation is {made.state.name}")
        return str(made.allocations["main"][0])

    def _none_free(self, tags: Mapping[str, str]) -> Refused:
        told = ", ".join(f"{key}={value}" for key, value in tags.items())
        users = {
            each["name"]: each["acquired"] or each["reserved"] or "somebody who just let go"
            for each in self.places()
            if tags.items() <= {**each["tags"], "name": each["name"]}.items()
        }
        if not users:
            return Refused(f"no place of labgrid has the tags {told}")
        why = tuple(f"{name} is held by {user}" for name, user in users.items())
        return Refused(f"no place with {told} is free", why=why, held=next(iter(users.values())))

    def _described(self, place: Any, owners: Mapping[str, str]) -> dict[str, Any]:
        paths = {
            (exporter, group, entry.cls, name): entry
            for exporter, groups in self.session.resources.items()
            for group, entries in groups.items()
            for name, entry in entries.items()
            if entry.data
        }
        own = [path for path in paths if place.hasmatch(path)]
        return {
            "name": place.name,
            "tags": dict(place.tags),
            "exporters": sorted({exporter for exporter, *_ in own}),
            "resources": sorted(cls for _, _, cls, _ in own),
            "missing": str(place.unmatched(list(paths)) or ""),
            "acquired": place.acquired or "",
            "reserved": owners.get(place.reservation or "", ""),
        }

    def _reservations(self) -> list[Any]:
        answer = self._do(self.session.stub.GetReservations(messages.GetReservationsRequest()))
        return [Reservation.from_pb2(each) for each in answer.reservations]

    def _do(self, call: Awaitable[_T]) -> _T:
        """Raises Refused with the coordinator's own words."""

        async def awaited() -> _T:
            return await call

        try:
            answer: _T = self.session.loop.run_until_complete(awaited())
            return answer
        except grpc.aio.AioRpcError as error:
            raise Refused(f"labgrid refuses: {error.details()}") from None
