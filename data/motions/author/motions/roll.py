"""A roll back: from sitting with the knees up over seat and spine until the shoulders carry and the hips are in the air, and
forwards again to lying on the back, feet on the floor."""
from rolling import Rolling

SIT = {"pelvis": 343.0, "spine": 48.0, "head": 12.0, "legs": (128.0, 104.0, 360.0), "arms": (66.0, 10.0, 0.0, 20.0)}
SEAT = {"pelvis": 300.0, "spine": 68.0, "head": 42.0, "legs": (132.0, 118.0, 320.0), "arms": (62.0, 10.0, 0.0, 25.0)}
BACK = {"pelvis": 245.0, "spine": 74.0, "head": 54.0, "legs": (132.0, 112.0, 270.0), "arms": (50.0, 14.0, 0.0, 25.0)}
SHOULDERS = {"pelvis": 208.0, "spine": 76.0, "head": 56.0, "legs": (126.0, 98.0, 220.0), "arms": (40.0, 18.0, 0.0, 20.0)}
SPINE = {"pelvis": 250.0, "spine": 42.0, "head": 40.0, "legs": (104.0, 112.0, 290.0), "arms": (24.0, 22.0, 0.0, 15.0)}
LIE = {"pelvis": 270.0, "spine": 6.0, "head": 12.0, "legs": (55.0, 115.0, 360.0), "arms": (4.0, 24.0, 0.0, 10.0)}


def motion():
    return Rolling(4.4, [(0.0, SIT), (0.6, SIT), (1.05, SEAT), (1.4, BACK), (1.85, SHOULDERS), (2.4, SPINE), (3.3, LIE),
                         (4.4, LIE)])
