CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('2');
CREATE TABLE completions (
	run_id VARCHAR(64) NOT NULL, 
	position INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	measures JSON NOT NULL, 
	PRIMARY KEY (run_id, position), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
CREATE TABLE flows (
	run_id VARCHAR(64) NOT NULL, 
	position INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	flavor VARCHAR NOT NULL, 
	measures JSON NOT NULL, 
	PRIMARY KEY (run_id, position), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
INSERT INTO "flows" VALUES('9d8ab57164e0ecb40145cfd9719f62e8f11a3296683e7e4bcdb86cb68aa47e28',0,'flow 1','vanilla','{"goodput_bps": 16889036.8, "bytes_delivered": 21111296, "segments_sent": 42069, "segments_retransmitted": 745, "timeouts": 24, "fast_retransmits": 0, "duplicate_acknowledgments": 1453, "max_cwnd_bytes": 65535.0, "finished_s": null}');
INSERT INTO "flows" VALUES('9d8ab57164e0ecb40145cfd9719f62e8f11a3296683e7e4bcdb86cb68aa47e28',1,'flow 2','vanilla','{"goodput_bps": 12653363.2, "bytes_delivered": 15816704, "segments_sent": 31597, "segments_retransmitted": 681, "timeouts": 26, "fast_retransmits": 0, "duplicate_acknowledgments": 1261, "max_cwnd_bytes": 61614.55795520221, "finished_s": null}');
INSERT INTO "flows" VALUES('9d8ab57164e0ecb40145cfd9719f62e8f11a3296683e7e4bcdb86cb68aa47e28',2,'flow 3','vanilla','{"goodput_bps": 6974668.8, "bytes_delivered": 8718336, "segments_sent": 17365, "segments_retransmitted": 227, "timeouts": 28, "fast_retransmits": 0, "duplicate_acknowledgments": 568, "max_cwnd_bytes": 65535.0, "finished_s": null}');
INSERT INTO "flows" VALUES('9d8ab57164e0ecb40145cfd9719f62e8f11a3296683e7e4bcdb86cb68aa47e28',3,'flow 4','vanilla','{"goodput_bps": 3629465.6, "bytes_delivered": 4536832, "segments_sent": 9099, "segments_retransmitted": 202, "timeouts": 32, "fast_retransmits": 0, "duplicate_acknowledgments": 538, "max_cwnd_bytes": 54886.96218599923, "finished_s": null}');
INSERT INTO "flows" VALUES('9d8ab57164e0ecb40145cfd9719f62e8f11a3296683e7e4bcdb86cb68aa47e28',4,'flow 5','vanilla','{"goodput_bps": 8039219.2, "bytes_delivered": 10049024, "segments_sent": 20093, "segments_retransmitted": 398, "timeouts": 30, "fast_retransmits": 0, "duplicate_acknowledgments": 749, "max_cwnd_bytes": 65535.0, "finished_s": null}');
INSERT INTO "flows" VALUES('450fe74157791ce65240322fdcfefd8e9e37b10db975899f4b4556fc264f85bd',0,'flow 1','vanilla','{"goodput_bps": 10194944.0, "bytes_delivered": 12743680, "segments_sent": 25329, "segments_retransmitted": 423, "timeouts": 29, "fast_retransmits": 0, "duplicate_acknowledgments": 1015, "max_cwnd_bytes": 55264.2422003241, "finished_s": null}');
INSERT INTO "flows" VALUES('450fe74157791ce65240322fdcfefd8e9e37b10db975899f4b4556fc264f85bd',1,'flow 2','vanilla','{"goodput_bps": 10326835.2, "bytes_delivered": 12908544, "segments_sent": 25695, "segments_retransmitted": 375, "timeouts": 26, "fast_retransmits": 0, "duplicate_acknowledgments": 934, "max_cwnd_bytes": 57873.63169732529, "finished_s": null}');
INSERT INTO "flows" VALUES('450fe74157791ce65240322fdcfefd8e9e37b10db975899f4b4556fc264f85bd',2,'flow 3','vanilla','{"goodput_bps": 12244582.4, "bytes_delivered": 15305728, "segments_sent": 30417, "segments_retransmitted": 501, "timeouts": 24, "fast_retransmits": 0, "duplicate_acknowledgments": 1046, "max_cwnd_bytes": 55544.62182525738, "finished_s": null}');
INSERT INTO "flows" VALUES('450fe74157791ce65240322fdcfefd8e9e37b10db975899f4b4556fc264f85bd',3,'flow 4','vanilla','{"goodput_bps": 14358528.0, "bytes_delivered": 17948160, "segments_sent": 35714, "segments_retransmitted": 555, "timeouts": 18, "fast_retransmits": 0, "duplicate_acknowledgments": 1088, "max_cwnd_bytes": 59934.6796292372, "finished_s": null}');
INSERT INTO "flows" VALUES('450fe74157791ce65240322fdcfefd8e9e37b10db975899f4b4556fc264f85bd',4,'flow 5','vanilla','{"goodput_bps": 13291110.4, "bytes_delivered": 16613888, "segments_sent": 32960, "segments_retransmitted": 474, "timeouts": 22, "fast_retransmits": 0, "duplicate_acknowledgments": 960, "max_cwnd_bytes": 65535.0, "finished_s": null}');
CREATE TABLE leases (
	run_id VARCHAR(64) NOT NULL, 
	worker VARCHAR NOT NULL, 
	PRIMARY KEY (run_id), 
	FOREIGN KEY(worker) REFERENCES workers (worker) ON DELETE CASCADE
);
INSERT INTO "leases" VALUES('ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','elsewhere-4711-word');
CREATE TABLE meta (
	name VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "meta" VALUES('schema_version','2');
CREATE TABLE ports (
	run_id VARCHAR(64) NOT NULL, 
	position INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	policy VARCHAR NOT NULL, 
	measures JSON NOT NULL, 
	PRIMARY KEY (run_id, position), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
INSERT INTO "ports" VALUES('9d8ab57164e0ecb40145cfd9719f62e8f11a3296683e7e4bcdb86cb68aa47e28',0,'bottleneck','epd','{"max_queue_cells": 822, "mean_queue_cells": 65.4259709722421, "cells_in": 1442286, "cells_out": 1430927, "cells_dropped": 10944, "packets_dropped": 912, "utilization": 0.3901189866255144}');
INSERT INTO "ports" VALUES('450fe74157791ce65240322fdcfefd8e9e37b10db975899f4b4556fc264f85bd',0,'bottleneck','epd','{"max_queue_cells": 821, "mean_queue_cells": 112.6799839660573, "cells_in": 1800529, "cells_out": 1788366, "cells_dropped": 11772, "packets_dropped": 981, "utilization": 0.4875689197530864}');
CREATE TABLE runs (
	run_id VARCHAR(64) NOT NULL, 
	scenario_hash VARCHAR(64) NOT NULL, 
	seed BIGINT NOT NULL, 
	replication INTEGER NOT NULL, 
	engine VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	failure TEXT, 
	fingerprint VARCHAR, 
	started_at VARCHAR NOT NULL, 
	ended_at VARCHAR NOT NULL, 
	wall_seconds FLOAT NOT NULL, 
	events BIGINT, 
	scenario TEXT NOT NULL, 
	metrics JSON, 
	work JSON, 
	build VARCHAR, 
	PRIMARY KEY (run_id)
);
INSERT INTO "runs" VALUES('450fe74157791ce65240322fdcfefd8e9e37b10db975899f4b4556fc264f85bd','effed413554e35090791ad1fb42175c050ce03e04e5546351e708c20659e7d57',1,1,'0.1.0+model.1','done',NULL,'5f142425985ecf81','2026-11-22T03:45:08.293+00:00','2026-11-22T03:45:08.447+00:00',0.154245,5973576,'{"duration_ps":10000000000000,"framing":{"encapsulation":"llc-snap","kind":"aal5","lost_last_cell":"corrupts-next-packet"},"measure":{"throughput":"in-order"},"port":{"arrival_order":"seeded-random","buffer_cells":1000,"counts_cell_in_service":false,"policy":{"discards_remainder":true,"kind":"epd","threshold":"K - 200 cells"}},"replication":1,"schema_version":1,"seed":1,"tcp":{"acknowledgments":{"kind":"immediate"},"acknowledgments_per_increment":1,"cwnd_limit":"receiver-window","delayed_retransmit":false,"flavor":{"kind":"vanilla"},"handshake":false,"idle_restart":"keep","initial_ssthresh":"receiver-window","initial_window":"1 MSS","limited_transmit":false,"mss_bytes":512,"nagle":false,"out_of_order":"keep","receiver_window_bytes":65535,"retransmission_timeout":{"initial_ps":3000000000000,"kind":"bsd-integer","maximum_ps":64000000000000,"minimum_ticks":2},"round_trips_in_recovery":"measured","sack_blocks":3,"sack_option_size":"padded","silly_window_avoidance":true,"slow_start_at_ssthresh":false,"slow_start_growth":"per-acknowledgment","ssthresh_rule":"as-printed","timer_granularity_ps":100000000000,"timer_phase":"common","timestamps":false,"window_after_loss":"ssthresh","window_arithmetic":"floating-point","window_scale":0},"topology":{"access":{"delay_ps":5000000,"rate_bps":155520000},"bottleneck":{"delay_ps":5000000,"rate_bps":155520000},"kind":"n-source","sources":5},"traffic":{"kind":"infinite","stagger_ps":0,"start":"uniform(0 s, 1 ms)"}}','{"efficiency": 0.48256172839506173, "fairness": 0.9820907042854762, "goodput_bps": 60416000.0, "max_goodput_bps": 125198490.56603773, "max_queue_cells": 821, "mean_queue_cells": 112.6799839660573, "cell_loss_ratio": 0.006538078531364949, "timeouts": 119, "packets_lost": 0, "share_useful": 0.48256172839570005, "share_duplicate": 0.0045475308642, "share_beyond_hole": 0.0, "share_incomplete": 0.0, "share_vbr": 0.0, "share_background": 0.0, "share_control": 0.0, "share_under_way": 0.000459531893, "share_idle_receiver_window": 3.8631686e-06, "share_idle_congestion_avoidance": 0.0001043055531, "share_idle_recovery": 0.0, "share_idle_slow_start": 0.0002338744677, "share_idle_opening": 0.0, "share_idle_timeout": 0.5120820730498, "share_idle_no_data": 7.0926079e-06}','{"events": 5973576, "cell_hops": 6271423, "packet_hops": 895191, "driver": "fast"}','75e274322f3d9563');
INSERT INTO "runs" VALUES('9d8ab57164e0ecb40145cfd9719f62e8f11a3296683e7e4bcdb86cb68aa47e28','f7f00bd163582271057b21eccfe8ee9d4010b4ba09d8ceb31c98f779c73a02eb',1,0,'0.1.0+model.1','done',NULL,'61fea7d4f99b16f1','2026-11-22T03:45:08.293+00:00','2026-11-22T03:45:08.447+00:00',0.154074,4781322,'{"duration_ps":10000000000000,"framing":{"encapsulation":"llc-snap","kind":"aal5","lost_last_cell":"corrupts-next-packet"},"measure":{"throughput":"in-order"},"port":{"arrival_order":"seeded-random","buffer_cells":1000,"counts_cell_in_service":false,"policy":{"discards_remainder":true,"kind":"epd","threshold":"K - 200 cells"}},"replication":0,"schema_version":1,"seed":1,"tcp":{"acknowledgments":{"kind":"immediate"},"acknowledgments_per_increment":1,"cwnd_limit":"receiver-window","delayed_retransmit":false,"flavor":{"kind":"vanilla"},"handshake":false,"idle_restart":"keep","initial_ssthresh":"receiver-window","initial_window":"1 MSS","limited_transmit":false,"mss_bytes":512,"nagle":false,"out_of_order":"keep","receiver_window_bytes":65535,"retransmission_timeout":{"initial_ps":3000000000000,"kind":"bsd-integer","maximum_ps":64000000000000,"minimum_ticks":2},"round_trips_in_recovery":"measured","sack_blocks":3,"sack_option_size":"padded","silly_window_avoidance":true,"slow_start_at_ssthresh":false,"slow_start_growth":"per-acknowledgment","ssthresh_rule":"as-printed","timer_granularity_ps":100000000000,"timer_phase":"common","timestamps":false,"window_after_loss":"ssthresh","window_arithmetic":"floating-point","window_scale":0},"topology":{"access":{"delay_ps":5000000,"rate_bps":155520000},"bottleneck":{"delay_ps":5000000,"rate_bps":155520000},"kind":"n-source","sources":5},"traffic":{"kind":"infinite","stagger_ps":0,"start":"0 s"}}','{"efficiency": 0.3848748765432099, "fairness": 0.8121322835987291, "goodput_bps": 48185753.6, "max_goodput_bps": 125198490.56603773, "max_queue_cells": 822, "mean_queue_cells": 65.4259709722421, "cell_loss_ratio": 0.0075879541228300075, "timeouts": 140, "packets_lost": 0, "share_useful": 0.38487487654339997, "share_duplicate": 0.0045442592593, "share_beyond_hole": 0.0, "share_incomplete": 0.0, "share_vbr": 0.0, "share_background": 0.0, "share_control": 0.0, "share_under_way": 0.0006997222222, "share_idle_receiver_window": 5.046296e-06, "share_idle_congestion_avoidance": 9.925925719999999e-05, "share_idle_recovery": 0.0, "share_idle_slow_start": 0.0001932150189, "share_idle_opening": 0.0, "share_idle_timeout": 0.609583621403, "share_idle_no_data": 0.0}','{"events": 4781322, "cell_hops": 5019582, "packet_hops": 716403, "driver": "fast"}','75e274322f3d9563');
CREATE TABLE workers (
	worker VARCHAR NOT NULL, 
	place VARCHAR NOT NULL, 
	pid BIGINT NOT NULL, 
	born BIGINT NOT NULL, 
	jobs INTEGER NOT NULL, 
	beat BIGINT NOT NULL, 
	heard_at VARCHAR NOT NULL, 
	PRIMARY KEY (worker)
);
INSERT INTO "workers" VALUES('elsewhere-4711-word','elsewhere',4711,1,2,3,'2026-11-22T03:45:00.000+00:00');
CREATE INDEX ix_runs_cost ON runs (scenario_hash, status, wall_seconds);
CREATE INDEX ix_runs_maker ON runs (engine, build, scenario_hash);
CREATE INDEX ix_runs_status ON runs (run_id, status);
CREATE INDEX ix_leases_worker ON leases (worker);
